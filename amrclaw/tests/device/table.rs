//! Every built-in solver with a moving state, on three levels.

/// Name, solver with its data, and overrides.
pub const CASES: [(&str, &str, &[&str]); 15] = [
    (
        "acoustics",
        "[solver]\nname = \"acoustics\"\ndensity = 1.3\nbulk = 3.7\n[initial]\n\
         pressure = \"exp(-60 * ((x - 0.4)^2 + (y - 0.5)^2))\"\nu = \"0.1 * y\"\nv = \"0\"\n",
        &[],
    ),
    (
        "acoustics_variable",
        "[solver]\nname = \"acoustics_variable\"\n[aux]\nimpedance = \"if(x < 0.5, 1, 2.3)\"\n\
         sound_speed = \"if(x < 0.5, 1, 0.6)\"\n[initial]\npressure = \"exp(-60 * ((x - 0.4)^2 + (y - 0.5)^2))\"\n\
         u = \"0.1 * y\"\nv = \"0\"\n",
        &[],
    ),
    (
        "advection",
        "[solver]\nname = \"advection\"\nu = 0.7\nv = -0.3\n[initial]\nq = \"exp(-60 * ((x - 0.4)^2 + (y - 0.5)^2))\"\n",
        &[],
    ),
    (
        "advection_edge",
        "[solver]\nname = \"advection_edge\"\n[aux]\nu_edge = \"cos(t) * sin(2 * pi * y)\"\nv_edge = \"0.3 * sin(pi * x)\"\n\
         [initial]\nq = \"exp(-60 * ((x - 0.4)^2 + (y - 0.5)^2))\"\n",
        &[],
    ),
    (
        "advection_mapped",
        "[solver]\nname = \"advection_mapped\"\n[aux]\nu_edge = \"0.7\"\nv_edge = \"-0.3\"\n\
         capacity = \"1.5 + 0.5 * x - 0.6 * y\"\n[initial]\nq = \"exp(-60 * ((x - 0.4)^2 + (y - 0.5)^2))\"\n",
        &["scheme.capacity=\"capacity\""],
    ),
    (
        "advection_reaction",
        "[solver]\nname = \"advection_reaction\"\nu = 0.7\nv = -0.3\nrate = 1.0\n[initial]\n\
         q = \"exp(-60 * ((x - 0.4)^2 + (y - 0.5)^2))\"\n",
        &["scheme.source=\"strang\""],
    ),
    ("burgers", "[solver]\nname = \"burgers\"\n[initial]\nq = \"0.3 + exp(-60 * ((x - 0.4)^2 + (y - 0.5)^2))\"\n", &[]),
    (
        "elasticity",
        "[solver]\nname = \"elasticity\"\ndensity = 1.3\nlambda = 2.0\nmu = 0.9\n[initial]\n\
         stress_xx = \"exp(-60 * ((x - 0.4)^2 + (y - 0.5)^2))\"\nstress_yy = \"0\"\nstress_xy = \"0.1 * x\"\nu = \"0\"\n\
         v = \"0.1\"\n",
        &[],
    ),
    (
        "euler",
        "[solver]\nname = \"euler\"\n[initial]\ndensity = \"1 + exp(-60 * ((x - 0.4)^2 + (y - 0.5)^2))\"\n\
         x_momentum = \"0.3\"\ny_momentum = \"-0.2\"\nenergy = \"3 + 2 * exp(-60 * ((x - 0.4)^2 + (y - 0.5)^2))\"\n",
        &[],
    ),
    (
        "euler_hllc",
        "[solver]\nname = \"euler_hllc\"\n[initial]\ndensity = \"1 + exp(-60 * ((x - 0.4)^2 + (y - 0.5)^2))\"\n\
         x_momentum = \"0.3\"\ny_momentum = \"-0.2\"\nenergy = \"3 + 2 * exp(-60 * ((x - 0.4)^2 + (y - 0.5)^2))\"\n",
        &[],
    ),
    (
        "euler_tracer",
        "[solver]\nname = \"euler_tracer\"\n[initial]\ndensity = \"1 + exp(-60 * ((x - 0.4)^2 + (y - 0.5)^2))\"\n\
         x_momentum = \"0.3\"\ny_momentum = \"-0.2\"\nenergy = \"3 + 2 * exp(-60 * ((x - 0.4)^2 + (y - 0.5)^2))\"\n\
         tracer = \"0.5 * x\"\n",
        &[],
    ),
    (
        "p_system",
        "[solver]\nname = \"p_system\"\ndensity = 1.3\nmodulus = 2.7\nnonlinearity = 0.5\n[initial]\n\
         strain = \"0.5 * exp(-60 * ((x - 0.4)^2 + (y - 0.5)^2))\"\nx_momentum = \"0.1\"\ny_momentum = \"0\"\n",
        &[],
    ),
    (
        "shallow_water",
        "[solver]\nname = \"shallow_water\"\ngravity = 1.0\n[initial]\ndepth = \"1 + 0.6 * exp(-60 * ((x - 0.4)^2 + (y - 0.5)^2))\"\n\
         x_momentum = \"0.3\"\ny_momentum = \"-0.2\"\n",
        &[],
    ),
    (
        "shallow_water_bathymetry",
        "[solver]\nname = \"shallow_water_bathymetry\"\n[aux]\nbottom = \"-0.5 + 0.3 * sin(3 * x) * cos(2 * y)\"\n[initial]\n\
         depth = \"1 + 0.6 * exp(-60 * ((x - 0.4)^2 + (y - 0.5)^2))\"\nx_momentum = \"0.3\"\ny_momentum = \"-0.2\"\n",
        &[],
    ),
    (
        "traffic",
        "[solver]\nname = \"traffic\"\n[initial]\ndensity = \"0.2 + 0.6 * exp(-60 * ((x - 0.4)^2 + (y - 0.5)^2))\"\n",
        &[],
    ),
];

/// True if the solver knows what a solid wall does.
pub fn with_walls(name: &str) -> bool {
    riemann::catalogue::find(name, 2).is_some_and(|info| info.wall_normal[0].is_some() && info.wall_normal[1].is_some())
}

/// The domain, its sides, three levels and the sweeps. Cells are not square.
pub fn settings(boundary: &str, ratio: &str, split: &str) -> String {
    let other = if boundary == "wall" { "periodic" } else { boundary };
    format!(
        r#"
[mesh]
lower = [0.0, 0.0]
upper = [1.0, 0.9]
cells = [29, 23]
[mesh.boundary]
x = ["{boundary}", "{boundary}"]
y = ["{other}", "{other}"]
[levels]
max = 3
ratio = {ratio}
[regrid]
interval = 2
buffer = 1
max_patch_size = 24
[regrid.flag]
criterion = "difference"
tolerance = 0.07
[scheme]
split = "{split}"
limiter = "mc"
[time]
end = 10.0
dt_initial = 0.002
cfl_desired = 0.8
[output]
format = []
[[gauge]]
name = "g"
position = [0.43, 0.52]
"#
    )
}
