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

/** The last word is the one that is being typed. */
const completed = async (...words: string[]) => {
  const { code, stdout } = await home.run('complete', '--', ...words)
  expect(code).toBe(0)
  return stdout
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith(':'))
    .map((line) => line.split('\t', 1)[0])
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
