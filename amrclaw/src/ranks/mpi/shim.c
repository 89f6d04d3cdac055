// The MPI functions that ranks use, for a library without the standard ABI: handles of the types of its mpi.h are passed as those of the
// standard ABI (MPI-5.0, chapter 20). Compiled once by the library's mpicc, and kept.
#include <mpi.h>
#include <stdint.h>
#include <string.h>
#if defined(OPEN_MPI)
#include <mpi-ext.h>
#endif

// A status has the size of the standard ABI's; here it holds the library's own.
typedef struct { int32_t words[8]; } Status;

_Static_assert(sizeof(MPI_Request) <= sizeof(uintptr_t), "a request fits the room of one");
_Static_assert(sizeof(MPI_Status) <= sizeof(Status), "a status fits the room of one");

// There is one communicator and one datatype: the arguments for them are ignored.
#define WORLD MPI_COMM_WORLD
#define WORDS MPI_UINT64_T

// There is one error handler: every function returns its error.
int amrclaw_MPI_Comm_set_errhandler(uintptr_t comm, uintptr_t handler)
{
    (void)comm, (void)handler;
    return MPI_Comm_set_errhandler(WORLD, MPI_ERRORS_RETURN);
}

int amrclaw_MPI_Error_string(int code, char *text, int *length) { return MPI_Error_string(code, text, length); }

static int source(int from) { return from == -1 ? MPI_ANY_SOURCE : from; }

int amrclaw_MPI_Initialized(int *is_initialized) { return MPI_Initialized(is_initialized); }

int amrclaw_MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    (void)required;
    return MPI_Init_thread(argc, argv, MPI_THREAD_SERIALIZED, provided);
}

int amrclaw_MPI_Finalize(void) { return MPI_Finalize(); }

int amrclaw_MPI_Abort(uintptr_t comm, int code)
{
    (void)comm;
    return MPI_Abort(WORLD, code);
}

int amrclaw_MPI_Comm_rank(uintptr_t comm, int *rank)
{
    (void)comm;
    return MPI_Comm_rank(WORLD, rank);
}

int amrclaw_MPI_Comm_size(uintptr_t comm, int *size)
{
    (void)comm;
    return MPI_Comm_size(WORLD, size);
}

int amrclaw_MPI_Get_library_version(char *text, int *length) { return MPI_Get_library_version(text, length); }

int amrclaw_MPI_Isend(const void *words, int count, uintptr_t type, int to, int tag, uintptr_t comm, uintptr_t *request)
{
    (void)type, (void)comm;
    MPI_Request own;
    int error = MPI_Isend(words, count, WORDS, to, tag, WORLD, &own);
    memcpy(request, &own, sizeof own);
    return error;
}

int amrclaw_MPI_Test(uintptr_t *request, int *is_done, Status *status)
{
    MPI_Request own;
    MPI_Status own_status;
    memcpy(&own, request, sizeof own);
    int error = MPI_Test(&own, is_done, &own_status);
    memcpy(request, &own, sizeof own);
    memcpy(status, &own_status, sizeof own_status);
    return error;
}

int amrclaw_MPI_Iprobe(int from, int tag, uintptr_t comm, int *is_there, Status *status)
{
    (void)comm;
    MPI_Status own;
    int error = MPI_Iprobe(source(from), tag, WORLD, is_there, &own);
    memcpy(status, &own, sizeof own);
    return error;
}

int amrclaw_MPI_Get_count(const Status *status, uintptr_t type, int *count)
{
    (void)type;
    MPI_Status own;
    memcpy(&own, status, sizeof own);
    return MPI_Get_count(&own, WORDS, count);
}

int amrclaw_MPI_Irecv(void *words, int count, uintptr_t type, int from, int tag, uintptr_t comm, uintptr_t *request)
{
    (void)type, (void)comm;
    MPI_Request own;
    int error = MPI_Irecv(words, count, WORDS, source(from), tag, WORLD, &own);
    memcpy(request, &own, sizeof own);
    return error;
}

int amrclaw_MPI_Recv(void *words, int count, uintptr_t type, int from, int tag, uintptr_t comm, Status *status)
{
    (void)type, (void)comm, (void)status;
    return MPI_Recv(words, count, WORDS, source(from), tag, WORLD, MPI_STATUS_IGNORE);
}

#if defined(MPIX_CUDA_AWARE_SUPPORT) || (defined(MPICH_NUMVERSION) && MPICH_NUMVERSION >= 40000000)
int amrclaw_MPIX_Query_cuda_support(void) { return MPIX_Query_cuda_support(); }
#endif
