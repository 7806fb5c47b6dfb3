/**
 * Loaded before the tests: requests to collect garbage later are ignored. Elysia makes one for each app, which is once
 * in the life of a server; a test process creates hundreds of apps, in a heap that holds all its modules. The collector
 * still runs when the heap has grown, and at once when a test forces it.
 */
const collect = Bun.gc
Bun.gc = (force) => (force ? collect(force) : 0)
