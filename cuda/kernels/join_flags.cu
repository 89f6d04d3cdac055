// join_flags.cu: sets a bit where either of two ranks has set it.
// Map     one thread per word
// Bytes   24 a word
// Floor   a launch
// Order   every word is written by one thread: repeats bit for bit

extern "C" __global__ void join_flags(const JoinFlagsArgs args)
{
    start_next();
    await_previous();
    const unsigned word = blockIdx.x * blockDim.x + threadIdx.x;
    if (word < args.num_words) args.joined[word] = args.own[word] | args.other[word];
}
