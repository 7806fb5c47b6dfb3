/** Preloaded into a server whose background work is to be measured: what comes after minutes comes after a second. */
import { systemClock } from '../src/runtime/clock.ts'

const hurryFromMs = 60_000
const { after } = systemClock
systemClock.after = (ms, call) => after.call(systemClock, ms >= hurryFromMs ? 1_000 : ms, call)
