/** The operator's presets file, read or rejected with one line that names the place. Source: contract 4, "OAuth", "Presets". */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { builtInPresets, Presets } from '../../../src/accounts/presets/catalogue.ts'
import { readPresetsFile } from '../../../src/accounts/presets/file.ts'
import { readConfig } from '../../../src/config.ts'
import { InvalidSetting } from '../../../src/platform/operating/variable.ts'

const strict = { allowPrivateAddresses: false, production: true }
const open = { allowPrivateAddresses: true, production: false }
const preset = {
  presetKey: 'acme',
  name: 'Acme',
  authorizationEndpoint: 'https://id.example.com/authorize',
  tokenEndpoint: 'https://id.example.com/token',
  issuer: 'https://id.example.com',
  scopes: [{ name: 'openid', description: 'Know who the user is.' }],
  defaultScopes: ['openid'],
  principalBinding: 'workspace',
  setupInstructions: 'Make a client.',
}

let folder: string
let path: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'troupe-presets-'))
  path = join(folder, 'presets.json')
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** The result of reading: the presets' keys, or the error line after the file's name. */
async function read(content: unknown, policy = strict): Promise<string[] | string> {
  await Bun.write(path, typeof content === 'string' ? content : JSON.stringify(content))
  try {
    return (await readPresetsFile(path, policy)).map(({ presetKey }) => presetKey)
  } catch (error) {
    if (!(error instanceof InvalidSetting)) throw error
    expect(error.message).not.toContain('\n')
    expect(error.message).toStartWith(`TROUPE_PRESETS_FILE: ${path}: `)
    return error.message.slice(`TROUPE_PRESETS_FILE: ${path}: `.length)
  }
}

test('presets are read in their order, with and without their optional fields', async () => {
  const full = {
    ...preset,
    presetKey: 'full',
    pkce: true,
    issuer: 'https://id.example.com',
    userinfoEndpoint: 'https://id.example.com/me',
    apiBaseUrl: 'https://api.example.com/v1',
    authorizationParameters: { prompt: 'consent' },
  }
  const byUserinfo = { ...full, presetKey: 'by-userinfo', issuer: undefined }
  expect(await read([full, preset, byUserinfo])).toEqual(['full', 'acme', 'by-userinfo'])
  expect(await read([])).toEqual([])
})

describe('rejected', () => {
  const rows: [string, unknown, string][] = [
    ['what is not JSON', '[{', 'Is not JSON.'],
    ['an empty file', '', 'Is not JSON.'],
    ['an object', {}, '/: '],
    ['null', 'null', '/: '],
    ['a preset that is not an object', ['acme'], '/0: '],
    ['a field that is missing', [preset, { ...preset, presetKey: 'b', name: undefined }], '/1/name: Is required.'],
    ['an unknown field', [{ ...preset, clientSecret: 'x' }], '/0/clientSecret: There is no such field. There are: '],
    [
      'a redirect URI',
      [{ ...preset, redirectUri: 'https://x' }],
      '/0/redirectUri: There is no such field. There are: ',
    ],
    ['an invalid key', [{ ...preset, presetKey: 'Acme!' }], '/0/presetKey: '],
    ['a duplicate key', [preset, preset], '/1/presetKey: acme is there twice.'],
    [
      'a preset without a source for the account',
      [preset, { ...preset, presetKey: 'b', issuer: undefined }],
      '/1: b needs issuer or userinfoEndpoint: ',
    ],
    ['no scopes', [{ ...preset, scopes: [] }], '/0/scopes: '],
    ['a scope with a space', [{ ...preset, scopes: [{ name: 'a b', description: 'x' }] }], '/0/scopes/0/name: '],
    [
      'a default scope that is not among the scopes',
      [{ ...preset, defaultScopes: ['openid', 'mail'] }],
      '/0/defaultScopes/1: ',
    ],
    [
      'another binding',
      [{ ...preset, principalBinding: 'nobody' }],
      '/0/principalBinding: Must be one of: user, workspace.',
    ],
    ['no PKCE', [{ ...preset, pkce: false }], '/0/pkce: '],
    ['an invalid address', [{ ...preset, tokenEndpoint: 'token' }], '/0/tokenEndpoint: The URL is not valid.'],
    ['plain http', [{ ...preset, tokenEndpoint: 'http://id.example.com/token' }], '/0/tokenEndpoint: '],
    ['another scheme', [{ ...preset, authorizationEndpoint: 'javascript:alert(1)' }], '/0/authorizationEndpoint: '],
    ['a private address', [{ ...preset, userinfoEndpoint: 'https://127.0.0.1/me' }], '/0/userinfoEndpoint: '],
    ['a password', [{ ...preset, apiBaseUrl: 'https://a:b@api.example.com' }], '/0/apiBaseUrl: '],
    ['a fragment', [{ ...preset, issuer: 'https://id.example.com/#x' }], '/0/issuer: '],
    ['51 presets', Array.from({ length: 51 }, (_, index) => ({ ...preset, presetKey: `p${index}` })), '/: '],
    ['more than 256 KiB', ' '.repeat(256 * 1024 + 1), 'Has more than 262144 bytes.'],
  ]
  test.each(rows)('%s', async (_, content, line) => {
    const said = await read(content)
    expect(said).toBeString()
    expect(said).toStartWith(line)
  })

  test('a missing file, and a folder', async () => {
    for (const nowhere of [join(folder, 'nowhere.json'), folder]) {
      await expect(readPresetsFile(nowhere, strict)).rejects.toThrow(`TROUPE_PRESETS_FILE: ${nowhere}: Cannot be read.`)
    }
  })
})

test('plain http is accepted where private addresses are allowed', async () => {
  expect(await read([{ ...preset, tokenEndpoint: 'http://127.0.0.1:3001/token' }], open)).toEqual(['acme'])
})

test('a file adds presets and replaces those with the same key', async () => {
  await read([preset, { ...preset, presetKey: 'google-workspace', name: 'Ours' }])
  const { config } = readConfig({ TROUPE_PRESETS_FILE: path })
  const presets = await Presets.open(config, () => 'https://troupe.example.com')
  expect(presets.keys).toEqual(['acme', 'google-workspace'])
  expect(presets.find('google-workspace')).toMatchObject({
    name: 'Ours',
    pkce: true,
    redirectUri: 'https://troupe.example.com/api/oauth/callback/google-workspace',
  })
  expect(presets.find('nobody')).toBeUndefined()
})

test('the built-in presets would be valid in a file under the strictest rules', async () => {
  expect(await read([...builtInPresets])).toEqual(['google-workspace'])
})
