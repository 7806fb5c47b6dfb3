/** Secrets are never shown. Source: requirement 5.9; design 6. */
import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { openTroupe, type Troupe } from '../../support/troupe.ts'
import { credentialsPath, organizationVariablesPath } from './world.ts'

let troupe: Troupe
/** All answers, including headers. */
const answers: string[] = []
/** Words that only secrets contain. */
const word = (name: string) => `hunter2-${name}`
const secrets = [
  ...[
    'credential',
    'rotated',
    'credential-refused',
    'credential-unknown-field',
    'credential-malformed',
    'credential-denied',
  ],
  ...['variable', 'variable-changed', 'variable-refused', 'variable-taken', 'variable-conflict'],
  ...['organization-variable', 'organization-variable-changed', 'organization-variable-taken', 'repeated'],
].map(word)

beforeAll(async () => {
  troupe = await openTroupe({ environment: { TROUPE_RUNNER: 'none' }, logLevel: 'debug' })
  const { owner } = troupe
  const ask = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const reply = await owner.call(method, path, body, { headers })
    answers.push(JSON.stringify([reply.status, [...reply.headers], reply.body]))
    return reply
  }
  const credential = { label: 'Mine', provider: 'openai', credentialType: 'api_key', secret: word('credential') }
  const { id } = (await ask('POST', credentialsPath, credential)).body.data
  await ask('POST', `${credentialsPath}/${id}/versions`, { secret: word('rotated') })
  await ask('POST', credentialsPath, { ...credential, secret: word('credential-refused'), provider: 'oracle' })
  await ask('POST', credentialsPath, { ...credential, secret: [word('credential-refused')] })
  await ask('POST', credentialsPath, { ...credential, secret: word('credential-refused').padEnd(65_537, '-') })
  await ask('PATCH', `${credentialsPath}/${id}`, { secret: word('credential-unknown-field') })
  const json = { 'content-type': 'application/json' }
  await ask('POST', credentialsPath, `{"secret": "${word('credential-malformed')}"`, json)
  await ask('POST', `${credentialsPath}/crd_nowhere/versions`, { secret: word('credential-denied') })
  // a header that these operations do not support
  for (const _ of [1, 2]) {
    await ask('POST', credentialsPath, { ...credential, secret: word('repeated') }, { 'idempotency-key': 'again' })
  }

  const source = { name: 'SOURCE', value: word('organization-variable') }
  const sourceId = (await ask('POST', organizationVariablesPath, source)).body.data.id
  await ask('PATCH', `${organizationVariablesPath}/${sourceId}`, { value: word('organization-variable-changed') })
  await ask('POST', organizationVariablesPath, { name: 'SOURCE', value: word('organization-variable-taken') })

  const project = (await ask('POST', '/api/v1/projects', { slug: 'project', name: 'Project' })).body.data.id
  const environments = (await ask('GET', `/api/v1/projects/${project}/environments`)).body.data.items
  const base = `/api/v1/projects/${project}/environments/${environments[0].id}/variables`
  const variableId = (await ask('POST', base, { name: 'OWN', value: word('variable') })).body.data.id
  await ask('POST', base, { name: 'TAKEN', sourceVariableId: sourceId, sourceVersion: 2 })
  await ask('PATCH', `${base}/${variableId}`, { value: word('variable-changed') })
  await ask('POST', base, { name: 'own', value: word('variable-refused') })
  await ask('POST', base, { name: 'OWN', value: word('variable-taken') })
  await ask('PATCH', `${base}/${variableId}`, { value: word('variable-conflict'), bindingKey: 'alone' })
  for (const path of [
    credentialsPath,
    `${credentialsPath}/${id}`,
    organizationVariablesPath,
    base,
    `${base}/${variableId}`,
  ]) {
    await ask('GET', path)
  }
  await ask('GET', '/api/v1/organizations/default/audit-events')
  await ask('DELETE', `${base}/${variableId}`)
  await ask('DELETE', `${credentialsPath}/${id}`)
})
afterAll(() => troupe?.stop())

/** The secret, and encodings of it. */
const forms = (secret: string): string[] => [
  secret,
  Buffer.from(secret).toString('base64').replace(/=+$/, ''),
  Buffer.from(secret).toString('base64url'),
  Buffer.from(secret).toString('hex'),
  new Bun.CryptoHasher('sha256').update(secret).digest('hex'),
]
function expectNone(text: string) {
  for (const secret of secrets) for (const form of forms(secret)) expect(text.includes(form) && form).toBe(false)
}

test('no answer contains one', () => {
  expect(answers.join('\n')).toContain('validation_failed')
  expectNone(answers.join('\n'))
})

test('no table contains one: neither the records, nor the audit log, the idempotency records or the journal', () => {
  const database = new Database(troupe.file, { readonly: true })
  const tables = database.query<{ name: string }, []>(`select name from sqlite_schema where type = 'table'`).all()
  const rows = tables.map(({ name }) => `${name}: ${JSON.stringify(database.query(`select * from "${name}"`).all())}`)
  database.close()
  const text = rows.join('\n')
  expect(text).toContain('createProviderCredentialVersion')
  expect(text).toContain('organization_variable_versions: [{')
  expectNone(text)
})

test('no file next to the store contains one, not even a deleted one', async () => {
  const folder = dirname(troupe.file)
  for (const name of await readdir(folder)) expectNone((await readFile(join(folder, name))).toString('latin1'))
})

test('no line of the log contains one', () => {
  const text = troupe.lines.map((line) => JSON.stringify(line)).join('\n')
  expect(text).toContain('provider-credentials')
  expectNone(text)
})

test('the API document has no example of one, and declares them write-only', async () => {
  const document = JSON.stringify((await troupe.owner.get('/docs/json', { unchecked: true })).body)
  expect(document).toContain('"writeOnly":true')
  expectNone(document)
})
