/** Preloaded by a server: its clock is that many milliseconds ahead. */
const now = Date.now
const aheadMs = Number(process.env.BENCH_CLOCK_AHEAD_MS)
Date.now = () => now() + aheadMs
