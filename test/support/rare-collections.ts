/**
 * Loaded before the tests: whoever asks that memory be collected some time is not heard. Elysia asks at each app that it has
 * made, which is once in the life of a server; a test process makes hundreds, in a heap that holds all its modules. The
 * collector runs when the heap has grown, as always, and at once when a test forces it.
 */
const collect = Bun.gc
Bun.gc = (force) => (force ? collect(force) : 0)
