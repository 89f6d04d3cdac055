"""Settings for AMRClaw: a flow that deforms a tracer and brings it back, as in its example `advection_2d_swirl`."""


def setrun(claw_pkg="amrclaw"):
    from clawpack.clawutil import data

    rundata = data.ClawRunData(claw_pkg, num_dim=2)
    probdata = rundata.new_UserData(name="probdata", fname="setprob.data")
    probdata.add_param("tperiod", 4.0, "period of the flow")

    clawdata = rundata.clawdata
    clawdata.lower[:] = [0.0, 0.0]
    clawdata.upper[:] = [1.0, 1.0]
    clawdata.num_cells[:] = [40, 40]
    clawdata.num_eqn, clawdata.num_waves, clawdata.num_aux = 1, 1, 2
    clawdata.output_style, clawdata.num_output_times, clawdata.tfinal = 1, 4, 4.0
    clawdata.dt_initial = 2e-2
    clawdata.limiter = ["mc"]
    clawdata.bc_lower[:] = clawdata.bc_upper[:] = ["extrap", "extrap"]

    amrdata = rundata.amrdata
    amrdata.amr_levels_max = 3
    amrdata.refinement_ratios_x = amrdata.refinement_ratios_y = amrdata.refinement_ratios_t = [2, 2]
    amrdata.aux_type = ["xleft", "yleft"]
    amrdata.flag2refine_tol = 0.05
    amrdata.regrid_interval, amrdata.regrid_buffer_width = 2, 2
    return rundata
