/** Mails are sent after the commit: an unavailable, slow or refusing mail server delays nobody and loses nothing. */

import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { HandClock } from '../../runtime/statecharts/clock.ts'
import { api } from '../../support/client.ts'
import { eventually } from '../../support/process.ts'
import { MailServer, type Received } from '../../support/services/mail-server.ts'
import { openTroupe, ownerEmail, type Troupe } from '../../support/troupe.ts'
import { outcome } from '../../support/world/replies.ts'

const minute = 60_000
const members = '/api/v1/organizations/default/members'

let folder: string
let post: MailServer
let clock: HandClock
let troupe: Troupe
let running: Troupe | undefined
const open = async (environment: Record<string, string> = {}) => {
  troupe = await openTroupe({
    folder,
    clock,
    environment: { TROUPE_RUNNER: 'none', TROUPE_SMTP_URL: post.url, ...environment },
  })
  running = troupe
}
const close = async () => {
  await running?.stop()
  running = undefined
}
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'troupe-mail-'))
  post = await MailServer.open()
  clock = new HandClock()
  await open()
})
afterEach(async () => {
  await Promise.all([close(), post?.stop()])
  await rm(folder, { recursive: true })
})

const invite = (email: string) => troupe.owner.post(members, { email, role: 'member' })
const accept = (token: string) =>
  api(troupe.url).post('/api/auth/invitations', { token, name: 'Ada', password: 'a password of hers' })
const failures = () => troupe.lines.filter(({ msg }) => msg === 'a mail could not be sent for now').length
const failed = (count: number) => eventually(`${count} failed attempts`, () => failures() >= count)

test('an unavailable mail server fails no request, and gets the mail when it is back', async () => {
  await post.stop()
  expect((await invite('ada@example.com')).status).toBe(201)
  await failed(1)
  clock.advance(2 * minute)
  await failed(2)
  await post.start()
  clock.advance(5 * minute)
  const { token } = await post.next('ada@example.com')
  expect((await accept(token)).status).toBe(200)
  clock.advance(60 * minute)
  await Bun.sleep(50)
  expect(post.unread).toBe(0)
})

test('the pending mail of a stopped server is sent by the next one, with the same token', async () => {
  post.manner = 'postpones'
  await invite('ada@example.com')
  await failed(1)
  await close()
  post.manner = 'takes'
  await open()
  clock.advance(2 * minute)
  const { token } = await post.next('ada@example.com')
  expect((await accept(token)).status).toBe(200)
})

test('a mail is repeated with the same Message-ID if its acceptance is unknown', async () => {
  post.manner = 'denies'
  await invite('ada@example.com')
  await failed(1)
  post.manner = 'takes'
  clock.advance(2 * minute)
  const idOf = ({ head }: Received) => /^Message-ID: (.*)$/im.exec(head)?.[1]
  const [first, second] = [await post.next('ada@example.com'), await post.next('ada@example.com')]
  expect(idOf(second)).toBe(idOf(first))
  expect(idOf(first)).toMatch(/^<ivt_[0-9a-z]{26}@localhost>$/)
  await invite('grace@example.com')
  expect(idOf(await post.next('grace@example.com'))).not.toBe(idOf(first))
})

test('the mail of a withdrawn invitation is not sent, and of replaced ones only the latest', async () => {
  post.manner = 'postpones'
  const withdrawn = await invite('withdrawn@example.com')
  await invite('replaced@example.com')
  await failed(2)
  await troupe.owner.delete(`/api/v1/organizations/default/invitations/${withdrawn.body.data.invitation.id}`)
  post.manner = 'takes'
  await invite('replaced@example.com')
  const { token } = await post.next('replaced@example.com')
  clock.advance(10 * minute)
  await invite('last@example.com')
  await post.next('last@example.com')
  expect(post.received).toHaveLength(2)
  expect((await accept(token)).status).toBe(200)
})

test('a permanently refused mail is given up at once, and can be requested again', async () => {
  post.manner = 'refuses'
  await invite('nobody@example.com')
  await eventually('the mail is given up', () => troupe.lines.some(({ msg }) => msg === 'a mail was given up'))
  clock.advance(24 * 60 * minute)
  post.manner = 'takes'
  await invite('ada@example.com')
  await post.next('ada@example.com')
  expect(post.attempts).toEqual(['nobody@example.com', 'ada@example.com'])
  await invite('nobody@example.com')
  await post.next('nobody@example.com')
})

test('a mail that is always deferred is given up after seven attempts', async () => {
  post.manner = 'postpones'
  await invite('ada@example.com')
  for (let attempt = 1; attempt <= 6; attempt += 1) {
    await failed(attempt)
    clock.advance(6 * 60 * minute)
  }
  await eventually('the mail is given up', () => troupe.lines.some(({ msg }) => msg === 'a mail was given up'))
  clock.advance(6 * 60 * minute)
  await Bun.sleep(50)
  expect(post.attempts).toHaveLength(7)
})

test('a hanging mail server blocks neither requests nor mails of accounts, nor the shutdown', async () => {
  post.manner = 'hangs'
  for (const name of ['one', 'two', 'three']) expect((await invite(`${name}@example.com`)).status).toBe(201)
  await eventually('mails under way', () => post.attempts.length >= 2)
  expect((await troupe.owner.get(members)).status).toBe(200)
  // two invitations are being sent, and the third waits; mails of accounts do not wait for them
  post.manner = 'takes'
  expect((await api(troupe.url).post('/api/auth/password-resets', { email: ownerEmail })).status).toBe(202)
  clock.advance(100)
  await post.next(ownerEmail)
  const stopping = close()
  await post.stop()
  await stopping
  await post.start()
  clock.advance(2 * minute)
  await open()
  const recipients = [await post.next(), await post.next(), await post.next()].map(({ recipients }) =>
    recipients.join(),
  )
  expect(recipients.toSorted()).toEqual(['one@example.com', 'three@example.com', 'two@example.com'])
})

test('with other master keys only pending mails are given up', async () => {
  const keys = ['one', 'two'].map((id, index) => `${id}:${Buffer.alloc(32, index + 1).toString('base64')}`)
  await close()
  await rm(folder, { recursive: true })
  await Bun.write(join(folder, 'keep'), '')
  await open({ TROUPE_MASTER_KEYS: keys[0]! })
  post.manner = 'postpones'
  await invite('ada@example.com')
  await failed(1)
  await close()
  post.manner = 'takes'
  await open({ TROUPE_MASTER_KEYS: keys.toReversed().join() })
  clock.advance(2 * minute)
  await eventually('a word about the mail', () =>
    JSON.stringify(troupe.lines).includes('derived from another master key'),
  )
  await invite('ada@example.com')
  expect((await accept((await post.next('ada@example.com')).token)).status).toBe(200)
  expect(post.received).toHaveLength(1)
})

test('a mail server that requires a password gets it, and a wrong password gives up no mail', async () => {
  const locked = await MailServer.open({ user: 'troupe@example.com', password: 'p@ss:word/%' })
  try {
    await close()
    await open({ TROUPE_SMTP_URL: locked.url.replace('word', 'wrong') })
    await invite('ada@example.com')
    await failed(1)
    expect(JSON.stringify(troupe.lines)).not.toContain('p@ss')
    await close()
    await open({ TROUPE_SMTP_URL: locked.url })
    clock.advance(2 * minute)
    expect((await accept((await locked.next('ada@example.com')).token)).status).toBe(200)
  } finally {
    await locked.stop()
  }
})

test.each([
  ['line breaks', 'Ada\u2028Bcc: all@example.com\u2029'],
  ['markup', '<img src=x onerror="alert()"> & "co"'],
  ['bidirectional text', 'abc \u202e moc.elpmaxe'],
  ['200 arbitrary characters', 'é'.repeat(200)],
])('a name of an organization with %s stays one line of text', async (_, name) => {
  expect((await troupe.owner.patch('/api/v1/organizations/default', { name })).status).toBe(200)
  await invite('ada@example.com')
  const mail = await post.next('ada@example.com')
  expect(mail.recipients).toEqual(['ada@example.com'])
  const headers = mail.head.split(/\r?\n/).map((line) => line.split(':')[0]!.toLowerCase())
  expect(headers.toSorted()).toEqual(
    ['content-type', 'date', 'from', 'message-id', 'mime-version', 'subject', 'to'].toSorted(),
  )
  expect(mail.raw.slice(mail.raw.indexOf('<!doctype'))).not.toContain('<img')
  for (const character of ['\u2028', '\u2029', '\u202e']) expect(mail.raw).not.toContain(character)
  expect(mail.link).not.toBe('')
  expect(outcome(await accept(mail.token))).toBe(200)
})
