#!/bin/sh
# Checks and times amrclaw on this machine's GPU: ./run.sh [PART…]. Needs a driver and NVRTC; some kernels come compiled. Each part
# writes results/PART.txt and prints whether it passed; without arguments all parts run except `ranks`, which needs two GPUs, and `paper`,
# the figures of `cargo xtask paper`, which takes half an hour.
cd "$(dirname "$0")" || exit 1
export AMRCLAW_CACHE="$PWD/cache"
mkdir -p results
failed=0

# What a command returns where there is nothing to check with.
SKIPPED=77

# part NAME COMMAND…: runs the command and prints its result.
part() {
    part=$1
    shift
    start=$(date +%s)
    "$@" >"results/$part.txt" 2>&1
    case $? in
    0) verdict=ok ;;
    "$SKIPPED") verdict=skipped ;;
    *) verdict=FAILED failed=1 ;;
    esac
    echo "$verdict $part ($(($(date +%s) - start)) s)"
    if [ $verdict != ok ]; then tail -n 40 "results/$part.txt"; fi
}

# Cells of the small runs of an example.
small() {
    case $1 in
    euler_shock_bubble) echo "mesh.cells=[96,24]" ;;
    traffic_light) echo "mesh.cells=[120]" ;;
    shock_bubble_3d) echo "mesh.cells=[24,10,10]" ;;
    *_3d* | acoustics_spherical) echo "mesh.cells=[16,16,16]" ;;
    *) echo "mesh.cells=[60,60]" ;;
    esac
}

# example NAME DEVICE STEPS OUTPUT OPTIONS…: some steps of an example.
example() {
    name=$1 device=$2 steps=$3 output=$4
    shift 4
    if [ -f "cases/$name/$name.so" ]; then set -- --solver "cases/$name/$name.so" "$@"; fi
    ./amrclaw run --overwrite "cases/$name/case.toml" --device "$device" --fmad off --set "$(small "$name")" --set "time.max_steps=$steps" \
        --set output.png=false --set output.checkpoint_every_steps=12 --output "results/$output" --quiet "$@"
}

# same A B: both folders hold the same frames and gauges.
same() {
    count=0
    for file in "results/$1"/frame_*.vtkhdf "results/$1"/gauge_*; do
        if [ ! -f "$file" ]; then continue; fi
        cmp "$file" "results/$2/$(basename "$file")" || return 1
        count=$((count + 1))
    done
    echo "$count files of $1 are those of $2" && [ $count -gt 0 ]
}

# Every example on the processor and on both executors: same bytes in all files.
examples() {
    for case in cases/*/; do
        name=$(basename "$case")
        for device in cpu cuda cuda-streamed; do
            example "$name" $device 24 "examples/$name/$device" || return 1
        done
        same "examples/$name/cpu" "examples/$name/cuda" && same "examples/$name/cpu" "examples/$name/cuda-streamed" || return 1
    done
}

# Runs that continue on another device must end like runs that do not change device.
restarts() {
    for name in acoustics_interface advection_swirl euler_shock_bubble; do
        for device in cpu cuda cuda-streamed; do
            example $name $device 12 "restarts/$name/$device" || return 1
        done
        example $name cpu 24 "restarts/$name/whole" || return 1
        for change in cpu:cuda cuda:cpu cpu:cuda-streamed cuda-streamed:cuda; do
            from=${change%:*} to=${change#*:}
            example $name "$to" 24 "restarts/$name/$from-$to" \
                --restart "results/restarts/$name/$from/checkpoint_000012.h5" || return 1
            last=$(ls "results/restarts/$name/whole" | grep 'frame_.*vtkhdf$' | tail -n 1)
            cmp "results/restarts/$name/whole/$last" "results/restarts/$name/$from-$to/$last" || return 1
            echo "$name: $change ends with the same bytes"
        done
    done
}

# NVIDIA's checkers on three levels, each executor: an update alone, auxiliary values that change with time, a source.
sanitizers() {
    if ! command -v compute-sanitizer; then echo "compute-sanitizer is not installed" && return $SKIPPED; fi
    for tool in memcheck initcheck racecheck synccheck; do
        for device in cuda cuda-streamed; do
            for name in acoustics_radial advection_swirl euler_shock_bubble; do
                compute-sanitizer --tool $tool --error-exitcode 9 ./amrclaw run --overwrite cases/$name/case.toml --device $device \
                    --set mesh.cells=[40,36] --set time.max_steps=10 --set regrid.interval=2 --set output.png=false \
                    --output "results/sanitizers/$tool-$device" --quiet || return 1
            done
        done
    done
}

# Two GPUs of one process: the processor's files, byte for byte, and nothing that NVIDIA's checker finds. Two processes, of which one is
# killed: the other ends within ten seconds, with an error.
ranks() {
    for case in cases/*/; do
        name=$(basename "$case")
        example "$name" cpu 24 "ranks/$name/cpu" || return 1
        for device in cuda cuda-streamed; do
            example "$name" $device 24 "ranks/$name/$device" --devices 0,1 || return 1
            same "ranks/$name/cpu" "ranks/$name/$device" || return 1
        done
    done
    if command -v compute-sanitizer; then
        compute-sanitizer --tool memcheck --error-exitcode 9 ./amrclaw run --overwrite cases/acoustics_radial/case.toml --devices 0,1 \
            --set mesh.cells=[40,36] --set time.max_steps=10 --set regrid.interval=2 --set output.png=false \
            --output results/ranks/memcheck --quiet || return 1
    fi
    if command -v mpiexec; then killed_rank || return 1; fi
}

killed_rank() {
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpiexec -n 2 ./amrclaw run --overwrite cases/acoustics_radial/case.toml \
        --device cuda --set mesh.cells=[4000,4000] --set output.png=false --output results/ranks/killed --quiet &
    launcher=$!
    sleep 10
    pkill -KILL -n -x amrclaw || return 1
    begun=$(date +%s)
    wait $launcher && return 1
    echo "ended $(($(date +%s) - begun)) s after a rank was killed"
    [ $(($(date +%s) - begun)) -le 10 ]
}

# tests PROGRAM DEVICE ARGUMENTS…: tests of the processor's executor, on a device.
tests() {
    program=$1 device=$2
    shift 2
    AMRCLAW_TEST_DEVICE=$device "./tests/$program" "$@"
}

# Tests with a solver without CUDA text, or that read values in host memory, are left out.
all_tests() {
    for device in cuda cuda-streamed; do
        part "invariants-$device" tests invariants $device
        part "conservation-$device" tests conservation $device --skip capacity
        part "physics-$device" tests physics_features $device --skip capacity --skip one_dimension
        part "retry-$device" tests retry $device
        part "radial-$device" tests radial $device
        part "user_functions-$device" tests user_functions $device --skip values --skip looked
    done
}

# Problems larger than the memory limit, and one too large for the device.
memory() {
    for bytes in 8000000 12000000 100000000; do
        ./amrclaw run --overwrite cases/acoustics_radial/case.toml --device cuda-streamed --device-memory $bytes --set mesh.cells=[400,400] \
            --set time.max_steps=8 --set output.png=false --output results/memory/$bytes --quiet || return 1
    done
    cmp results/memory/8000000/frame_0000.vtkhdf results/memory/12000000/frame_0000.vtkhdf || return 1
    ./amrclaw run --overwrite cases/acoustics_radial/case.toml --device cuda --device-memory 50000000 --set output.png=false \
        --output results/memory/too-little >results/memory/message.txt 2>&1 && return 1
    cat results/memory/message.txt
    grep 'bytes are needed' results/memory/message.txt | grep cuda-streamed
}

# A kernel fails during a run: the message names kernel and device, and the last checkpoint, which the streamed executor still
# writes from host memory, continues on the processor.
fault() {
    for device in cuda cuda-streamed; do
        output=results/fault/$device
        mkdir -p results/fault
        ./amrclaw run --overwrite fault/case.toml --solver fault/fault.so --device $device --output $output --quiet >$output.txt 2>&1 && return 1
        cat $output.txt
        if [ $device = cuda ]; then kept='lost; its last checkpoint'; else kept='the last good state'; fi
        grep 'a kernel failed on device 0: ' $output.txt && grep "$kept" $output.txt || return 1
        checkpoint=$(ls $output/checkpoint_* | tail -n 1)
        ./amrclaw run --overwrite fault/case.toml --solver fault/fault.so --output $output --restart "$checkpoint" --quiet || return 1
        echo "$checkpoint goes on on the processor"
    done
    CUDA_LAUNCH_BLOCKING=1 ./amrclaw run --overwrite fault/case.toml --solver fault/fault.so --device cuda --output results/fault/one-by-one --quiet 2>&1 |
        tee results/fault/one-by-one.txt | grep 'device 0: update'
}

benchmark() {
    for device in cpu cuda cuda-streamed; do
        if [ $device = cuda ]; then end=1.0; else end=0.2; fi
        ./amrclaw run --overwrite cases/acoustics_radial/case.toml --set output.png=false --set time.end=$end --set "output.times=[$end]" \
            --device $device --output results/benchmark/$device --quiet || return 1
        echo "$device to t = $end"
        cat results/benchmark/$device/run.json
    done
}

run() {
    case $1 in
    info) part info ./amrclaw info ;;
    parity) part parity ./tests/parity --ignored --nocapture ;;
    # The random comparisons of these modules are for the emulator, which needs a compiler; those on the GPU are in the module `gpu`.
    device) AMRCLAW_TEST_GPU=1 part device ./tests/device --include-ignored --nocapture --test-threads=16 --skip flags:: --skip refine:: --skip plans:: ;;
    examples | restarts | ranks | memory | fault | sanitizers | benchmark) part "$1" "$1" ;;
    tests) all_tests ;;
    update | link) part "$1" "./tests/$1" ;;
    paper) part paper ./xtask paper ;;
    *) echo "no part $1" && failed=1 ;;
    esac
}

if [ $# = 0 ]; then set -- info parity device examples restarts memory fault tests sanitizers link update benchmark; fi
for name in "$@"; do run "$name"; done
exit $failed
