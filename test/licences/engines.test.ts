/** `npm ci` says nothing about engines on the Node.js that the README names. */
import { expect, test } from 'bun:test'
import { join, resolve } from 'node:path'
import { engines } from '../../package.json'
import lock from '../../package-lock.json'

const root = resolve(import.meta.dir, '../..')
const oldest = /^>=(\d+\.\d+)$/.exec(engines.node)?.[1]

test('all packages run on the oldest Node.js that this one asks for', () => {
  const packages = Object.entries(lock.packages as Record<string, { engines?: Record<string, string> }>)
  const refusing = packages.filter(([, each]) => !Bun.semver.satisfies(`${oldest}.0`, each.engines?.node ?? '*'))
  expect(refusing.map(([path, each]) => `${path}: ${each.engines?.node}`)).toEqual([])
})

test.each(['README.md', 'docs/quickstart.md'])('%s names it', async (page) => {
  expect(await Bun.file(join(root, page)).text()).toContain(`Node.js ${oldest} or later`)
})
