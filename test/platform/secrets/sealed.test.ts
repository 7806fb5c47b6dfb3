/** A ciphertext is readable only as what it was sealed as. Source: design 6. */
import { expect, test } from 'bun:test'
import { type Belonging, seal, Unreadable, unseal } from '../../../src/platform/secrets/sealed.ts'

const key = new Uint8Array(32).fill(1)
const owner: Belonging = { table: 'variables', record: 'var_1', version: 2 }
const read = async (as: Belonging, withKey = key) => {
  const sealed = await seal(key, owner, Buffer.from('hunter2'))
  return Buffer.from(await unseal(withKey, as, sealed)).toString()
}

test('it is read as what it belongs to', async () => {
  expect(await read(owner)).toBe('hunter2')
})

test.each<[string, Belonging]>([
  ['another record', { ...owner, record: 'var_2' }],
  ['another version', { ...owner, version: 3 }],
  ['a version of another type', { ...owner, version: '2' }],
  ['something with less to its name', { table: 'variables', record: 'var_1' }],
  ['something with more to its name', { ...owner, organization: 'org_1' }],
])('it is not read as %s', async (_, as) => {
  await expect(read(as)).rejects.toThrow(Unreadable)
})

test('it is not read with another key', async () => {
  await expect(read(owner, new Uint8Array(32).fill(2))).rejects.toThrow(Unreadable)
})
