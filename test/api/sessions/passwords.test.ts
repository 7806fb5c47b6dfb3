import { expect, test } from 'bun:test'
import { hashPassword, passwordFits } from '../../../src/sessions/passwords.ts'

test('a password is stored as argon2id with 19 MiB and two passes, each time with another salt', async () => {
  const [one, other] = await Promise.all([hashPassword('12345678'), hashPassword('12345678')])
  expect(one).toStartWith('$argon2id$v=19$m=19456,t=2,p=1$')
  expect(one).not.toBe(other)
})

test('a hash is that of one password only', async () => {
  const hash = await hashPassword('correct horse')
  expect(await passwordFits('correct horse', hash)).toBe(true)
  for (const wrong of ['Correct horse', 'correct horse ', '', 'impossible', 'x'.repeat(1025)]) {
    expect(await passwordFits(wrong, hash)).toBe(false)
  }
})

test('nothing fits the hash of nobody', async () => {
  for (const password of ['', 'impossible', 'correct horse', 'x'.repeat(2000)]) {
    expect(await passwordFits(password, undefined)).toBe(false)
  }
})

test('a password of an impossible length does not fit even a hash that was made of it', async () => {
  expect(await passwordFits('x'.repeat(1025), await hashPassword('x'.repeat(1025)))).toBe(false)
  // what stands in for it while time is spent is no password either
  expect(await passwordFits('', await hashPassword('impossible'))).toBe(false)
})
