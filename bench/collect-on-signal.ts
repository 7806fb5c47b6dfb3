/** Preloaded into a server whose memory is measured: on SIGUSR2 it collects its garbage. */
process.on('SIGUSR2', () => Bun.gc(true))
