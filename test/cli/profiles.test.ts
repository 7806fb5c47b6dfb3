/** The file of profiles. */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { lstatSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readProfiles, writeProfiles } from '../../cli/settings/profiles.ts'

const before = process.env.TROUPE_CONFIG
let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'troupe-profiles-'))
  process.env.TROUPE_CONFIG = join(folder, 'config.json')
})
afterEach(() => {
  if (before === undefined) delete process.env.TROUPE_CONFIG
  else process.env.TROUPE_CONFIG = before
  rmSync(folder, { recursive: true })
})

test('a link to it stays one, and its target has the profiles', () => {
  const target = join(folder, 'dotfiles.json')
  writeFileSync(target, '{"current": null, "profiles": {}}', { mode: 0o644 })
  symlinkSync(target, join(folder, 'config.json'))
  const profiles = { current: 'shop', profiles: { shop: { url: 'http://localhost:3000', key: 'trp_x' } } }
  writeProfiles(profiles)
  expect(lstatSync(join(folder, 'config.json')).isSymbolicLink()).toBe(true)
  expect(statSync(target).mode & 0o777).toBe(0o600)
  expect(readProfiles()).toEqual(profiles)
})
