#!/bin/sh
# Cell-stages a second of the scheme of 2011 on a wing of tetrahedra, by loop, order of cells and precision: sh measure.sh AMRCLAW [AROUND] [DEVICE]
# Faces that are solved by both their cells against faces that are solved once and stored; cells along Hilbert's curve against shuffled ones.
set -e
program=$1 around=${2:-88} device=${3:-cuda}
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$program" mesh make naca0012 "$folder/wing.msh" --around "$around" --layers 3 --span 0.2
cp "$here/wing.toml" "$folder/wing.toml"
cp "$here/../../amrclaw/tests/own_solvers/euler_central.rs" "$folder"
sed -i 's|name = "euler_hllc"|path = "euler_central.rs"|; s|wing_3d.msh|wing.msh|' "$folder/wing.toml"
printf '%-6s %-9s %-5s %s\n' loop order bits 'cell-stages/s'
for precision in f32 f64; do
    for loop in cell face; do
        for order in hilbert shuffled; do
            rate=$("$program" run "$folder/wing.toml" --device "$device" --precision $precision --output "$folder/out" --overwrite \
                --set scheme.order=1 --set scheme.gradients_of=conserved --set scheme.time=rk3_low_storage --set scheme.loop=$loop --set mesh.order=$order \
                --set time.max_steps=2000 --set scheme.steady=1e-12 --set output.forces.wing.every_steps=100000 |
                awk '/updates\/s/ && $1 == "all" { print 3 * $(NF - 1) }')
            printf '%-6s %-9s %-5s %s\n' $loop $order $precision "$rate"
        done
    done
done
