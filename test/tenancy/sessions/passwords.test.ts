import { afterAll, beforeAll, expect, test } from 'bun:test'
import { owaspMinimum, PasswordHashing, passwordHashing } from '../../../src/tenancy/sessions/password-hashing.ts'
import { hashPassword, passwordFits } from '../../../src/tenancy/sessions/passwords.ts'
import { quick } from '../../support/preloaded/quick-passwords.ts'

beforeAll(() => {
  passwordHashing.settings = new PasswordHashing().settings
})
afterAll(() => {
  passwordHashing.settings = quick
})

test('a password is stored as argon2id with 19 MiB and two passes, each time with a new salt', async () => {
  const [one, other] = await Promise.all([hashPassword('12345678'), hashPassword('12345678')])
  expect(one).toStartWith('$argon2id$v=19$m=19456,t=2,p=1$')
  expect(one).not.toBe(other)
})

test('for an unknown user, a hash of the same cost is compared', () => {
  const { memoryCost, timeCost, ofNobody } = passwordHashing.settings
  expect(ofNobody).toStartWith(`$argon2id$v=19$m=${memoryCost},t=${timeCost},p=1$`)
})

test.each([
  ['quick', quick, owaspMinimum],
  ['slow', owaspMinimum, quick],
] as const)('a hash with %s settings is verified under others', async (_, before, after) => {
  passwordHashing.settings = before
  const hash = await hashPassword('correct horse')
  passwordHashing.settings = after
  expect(await passwordFits('correct horse', hash)).toBe(true)
  expect(await passwordFits('correct mule', hash)).toBe(false)
  passwordHashing.settings = owaspMinimum
})

test('a hash is that of one password only', async () => {
  const hash = await hashPassword('correct horse')
  expect(await passwordFits('correct horse', hash)).toBe(true)
  for (const wrong of ['Correct horse', 'correct horse ', '', 'impossible', 'x'.repeat(1025)]) {
    expect(await passwordFits(wrong, hash)).toBe(false)
  }
})

test('nothing matches the placeholder hash', async () => {
  for (const password of ['', 'impossible', 'correct horse', 'x'.repeat(2000)]) {
    expect(await passwordFits(password, undefined)).toBe(false)
  }
})

test('a password of an invalid length does not match even its own hash', async () => {
  expect(await passwordFits('x'.repeat(1025), await hashPassword('x'.repeat(1025)))).toBe(false)
  // nor does the placeholder that takes the same time
  expect(await passwordFits('', await hashPassword('impossible'))).toBe(false)
})
