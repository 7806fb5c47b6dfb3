/** What shells complete. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { endCommands, type Home, openHome } from './command.ts'

let home: Home
beforeAll(async () => {
  home = await openHome()
})
afterAll(async () => {
  await endCommands()
  await home?.remove()
})

const valuesIn = (stdout: string) =>
  stdout
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith(':'))
    .map((line) => line.split('\t', 1)[0] as string)

/** The last word is the one that is being typed. */
const completed = async (...words: string[]) => {
  const { code, stdout } = await home.run('complete', '--', ...words)
  expect(code).toBe(0)
  return valuesIn(stdout)
}

test('values of options and arguments are completed', async () => {
  expect(await completed('runs', 'list', '--state', 'ca')).toEqual(['canceling', 'canceled'])
  expect(await completed('chart', 'w')).toEqual(['webhook-recovery', 'worker-call', 'workflow-run'])
  expect(await completed('init', '')).toContain('support-desk')
  expect(await completed('plan', '--environment', 'p')).toEqual(['preview', 'production'])
})

test('the names of profiles are completed', async () => {
  expect(await completed('whoami', '--profile', '')).toEqual([])
  const file = join(home.folder, 'profiles.json')
  const profiles = { shop: { url: 'http://localhost:3000', key: 'trp_x' }, shore: { url: 'http://a', key: 'trp_y' } }
  await Bun.write(file, JSON.stringify({ current: 'shop', profiles }))
  home.environment.TROUPE_CONFIG = file
  expect(await completed('whoami', '--profile', 'shor')).toEqual(['shore'])
  expect(await completed('profiles', 'use', '')).toEqual(['shop', 'shore'])
  expect(await completed('logout', 'sho')).toEqual(['shop', 'shore'])
  // the command that reads a damaged file reports it
  await Bun.write(file, '{')
  expect(await completed('logout', '')).toEqual([])
})

test('paths are completed, into a folder that is the only one', async () => {
  const folder = join(home.folder, 'paths')
  for (const file of ['shop/worker.ts', 'shop/workflows/refund.yaml', 'store.yaml', '.hidden.yaml'])
    await Bun.write(join(folder, file), '')
  const inFolder = async (...words: string[]) => {
    const going = home.start(['complete', '--', ...words], { cwd: folder })
    const { stdout } = await going.ended
    return valuesIn(stdout).sort()
  }
  expect(await inFolder('worker', '')).toEqual(['shop/', 'store.yaml'])
  expect(await inFolder('worker', 'sh')).toEqual(['shop/worker.ts', 'shop/workflows/'])
  expect(await inFolder('worker', './sh')).toEqual(['./shop/worker.ts', './shop/workflows/'])
  expect(await inFolder('apply', '--file', 'shop/workf')).toEqual(['shop/workflows/refund.yaml'])
  expect(await inFolder('apply', '-f', 'st')).toEqual(['store.yaml'])
  expect(await inFolder('import', 'openapi', '.h')).toEqual(['.hidden.yaml'])
  expect(await inFolder('worker', 'none/')).toEqual([])
})
