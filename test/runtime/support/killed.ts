/** A process that dies when its first effect begins. Argument: path. Prints the effect's id. */
import { writeSync } from 'node:fs'
import { systemClock } from '../../../src/platform/time/clock.ts'
import { Actors } from '../../../src/runtime/actors.ts'
import { lamp, lampKind, made, openLampStore } from './lamps.ts'

const store = await openLampStore(process.argv[2] ?? '')
const announce = {
  async durable(_params: never, { effectId }: { effectId: string }) {
    writeSync(1, `${effectId}\n`)
    process.kill(process.pid, 'SIGKILL')
    // The signal is pending.
    await new Promise(() => {})
  },
}
const actors = new Actors({ store, clock: systemClock, kinds: [lampKind({ effects: { announce } })] })
await actors.start()
await actors.create(lamp('a'), made)
await actors.send(lamp('a'), { type: 'switch' })
