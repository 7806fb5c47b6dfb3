/**
 * Preloaded into a server under test: the first SIGUSR2 starts V8-style sampling of its thread, the next one writes the
 * profile to the file of `SAMPLES_FILE` and starts again.
 */
import { renameSync, writeFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'

const file = process.env.SAMPLES_FILE as string
const session = new Session()
session.connect()
let isSampling = false

process.on('SIGUSR2', async () => {
  if (isSampling) {
    const { profile } = await session.post('Profiler.stop')
    writeFileSync(`${file}.part`, JSON.stringify(profile))
    renameSync(`${file}.part`, file)
  } else {
    await session.post('Profiler.enable')
    await session.post('Profiler.setSamplingInterval', { interval: 200 })
  }
  isSampling = !isSampling
  if (isSampling) await session.post('Profiler.start')
})
