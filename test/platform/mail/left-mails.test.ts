/** Mails of a server that was killed or has left: another server of the store sends them. */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Lane } from '../../../src/platform/mail/outbox.ts'
import type { Mail } from '../../../src/platform/mail/smtp.ts'
import { accountMails } from '../../../src/platform/mail/sources.ts'
import { hashSecret } from '../../../src/platform/secrets/tokens.ts'
import type { Store } from '../../../storage/store.ts'
import { insertAccountToken } from '../../../storage/tenancy/account-tokens.ts'
import { insertUser } from '../../../storage/tenancy/users.ts'
import { ManualClock } from '../../runtime/support/clock.ts'
import { openMigrated } from '../../support/stores/migrated-store.ts'

const minute = 60_000
const day = 24 * 60 * minute

let folder: string
let store: Store
let clock: ManualClock
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'troupe-left-mails-'))
  store = await openMigrated(`sqlite:${join(folder, 'troupe.db')}`)
  clock = new ManualClock(1_800_000_000_000)
  const user = { id: 'usr_a', email: 'ada@example.com', name: 'Ada', password_hash: '', email_verified_at: null }
  await store.commit([insertUser(store, { ...user, created_at: clock.now() })])
})
afterEach(async () => {
  await store.close()
  await rm(folder, { recursive: true })
})

/** A server's lane of account mails, with the mails that it has sent. */
function startLane({ hangs = false } = {}) {
  const sent: Mail[] = []
  const listeners = new Set<() => void>()
  const onChange = (listener: () => void) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }
  const lane = new Lane({
    store,
    clock,
    logger: { warn() {}, error() {} } as never,
    members: { isShared: true, onChange },
    post: {
      send: async (mail) => {
        sent.push(mail)
        if (hangs) await new Promise(() => {})
      },
    },
    source: accountMails({
      store,
      consoleUrl: () => 'https://troupe.example',
      pathOf: (() => '/') as never,
      tokenOf: (id) => id,
    }),
  })
  lane.start()
  return {
    lane,
    sent,
    /** A server has joined or left. */
    noteMembers() {
      for (const listener of listeners) listener()
    },
  }
}

/** A mail that another server has committed. */
const commitMail = (id: string) =>
  store.commit([
    insertAccountToken(store, {
      id,
      user_id: 'usr_a',
      purpose: 'verification',
      token_hash: hashSecret(id),
      mail_due_at: clock.now(),
      mail_attempts: 0,
      created_at: clock.now(),
      expires_at: clock.now() + day,
    }),
  ])

test('a mail whose server was killed after the commit is sent by another one within a minute', async () => {
  const other = startLane()
  await clock.advance(minute)
  await commitMail('atk_a')
  await clock.advance(minute)
  expect(other.sent.map(({ to }) => to)).toEqual(['ada@example.com'])
  await other.lane.stop()
})

test('a mail whose server was killed while it sent it is sent by another one', async () => {
  const other = startLane()
  const killed = startLane({ hangs: true })
  await clock.advance(0)
  await commitMail('atk_a')
  killed.lane.wake()
  await clock.advance(minute)
  expect([killed.sent.length, other.sent.length]).toEqual([1, 0])
  await clock.advance(2 * minute)
  expect([killed.sent.length, other.sent.length]).toEqual([1, 1])
  await other.lane.stop()
})

test('a server that notices the end of another one looks for its mails at once', async () => {
  const other = startLane()
  await clock.advance(minute)
  await commitMail('atk_a')
  other.noteMembers()
  await clock.advance(0)
  expect(other.sent).toHaveLength(1)
  await other.lane.stop()
})
