/** Notices by mail: their recipients, their frequency, and crashes. Source: contract 6 and 7, "Decided since". */

import { Database } from 'bun:sqlite'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'bun:test'
import { newId } from '../../../storage/ids.ts'
import type { MembershipRow } from '../../../storage/tables.ts'
import { minute, openWorld, second, type World } from '../../billing/usage/world.ts'
import { newPlace, receiver, statuses } from '../../events/webhooks/world.ts'
import { endAll, eventually, Site } from '../../support/process.ts'
import { MailServer, type Received } from '../../support/services/mail-server.ts'
import { failed } from '../../support/simulated-runner.ts'
import { ownerEmail } from '../../support/troupe.ts'
import { dataOf } from '../../support/world/replies.ts'
import { Tenancy } from '../../support/world/tenancy.ts'
import { disable, disabledWebhook } from './disabled-webhooks.ts'

const day = 24 * 60 * minute

let post: MailServer
let world: World
let tenancy: Tenancy
beforeAll(async () => {
  post = await MailServer.open()
  world = await openWorld({
    TROUPE_ALLOW_PRIVATE_ADDRESSES: 'true',
    TROUPE_SMTP_URL: post.url,
    // ten attempts, and a minute in which ten have failed
    TROUPE_WEBHOOK_BACKOFF_MS: Array(9).fill('1').join(),
    TROUPE_WEBHOOK_FAILING_MS: String(minute),
  })
  tenancy = new Tenancy(world.troupe.file, () => world.clock.now())
})
beforeEach(async () => {
  // the mails of earlier tests have been read
  while (post.unread > 0) await post.next()
  post.manner = 'takes'
})
afterEach(() => world.tidy())
afterAll(async () => {
  tenancy?.close()
  await world?.stop()
  await post?.stop()
})

const owed = () => tenancy.all('select id from notice_mails where mail_due_at is not null').length
const settled = () => eventually('nothing that is owed', () => owed() === 0)

const words = ({ raw }: Received) => raw.slice(0, raw.indexOf('<!doctype')).replace(/\s+/g, ' ')

test('the owner is told that most of a budget is used, and that all is, once in each period', async () => {
  const tenant = await world.organization()
  await tenant.ran(119 * second)
  await settled()
  expect(post.unread).toBe(0)
  await tenant.ran(1 * second)
  const warning = await post.next(ownerEmail)
  expect(warning.subject).toMatch(/^Team team-\w+ has used 80 % of its minutes$/)
  const { period } = await tenant.usage()
  expect(words(warning)).toContain('80 % of the 2.5 minutes')
  expect(words(warning)).toContain(period.end.slice(0, 10))
  expect(warning.raw).toMatch(/https?:\/\/[^\s"]+\/o\/team-\w+\/settings\/billing/)
  await tenant.ran(10 * second)
  await tenant.ran(30 * second)
  expect((await post.next(ownerEmail)).subject).toMatch(/has used all of its minutes$/)
  await settled()
  world.clock.step(31 * day)
  await tenant.ran(150 * second)
  const subjects = [await post.next(ownerEmail), await post.next(ownerEmail)].map(({ subject }) => subject)
  expect(subjects.map((subject) => /used (\S+)/.exec(subject)?.[1]).toSorted()).toEqual(['80', 'all'])
  await settled()
  expect(post.unread).toBe(0)
})

test('owners and admins are told that a webhook was disabled, at verified addresses, once a day', async () => {
  const tenant = await world.organization()
  const people = Object.fromEntries(
    (['owner', 'admin', 'member'] as const satisfies MembershipRow['role'][]).map((role) => [
      role,
      tenancy.user(tenant.id, role),
    ]),
  )
  const unproven = tenancy.user(tenant.id, 'admin')
  tenancy.run('update users set email_verified_at = null where id = ?', unproven)
  tenancy.user((await world.organization()).id, 'owner')
  const place = await newPlace(tenant.client)
  const id = await disabledWebhook(tenant.client, place)
  const mails = [await post.next(), await post.next(), await post.next()]
  const recipients = mails.flatMap((mail) => mail.recipients).toSorted()
  expect(recipients).toEqual(
    [ownerEmail, `${people.owner}@example.com`, `${people.admin}@example.com`].toSorted() as string[],
  )
  const [mail] = mails as [Received, ...Received[]]
  expect(mail.subject).toBe('A webhook of Project was disabled')
  expect(words(mail)).toContain('The endpoint answered 410')
  expect(words(mail)).toContain('127.0.0.1')
  expect(mail.raw).toContain(`/p/${place.projectId}/e/${place.environmentId}/webhooks/${id}`)
  expect(mail.raw).not.toContain('secret')

  await settled()
  const gone = receiver(statuses(410))
  const enable = () =>
    tenant.client.patch(`${place.path}/webhooks/${id}`, { enabled: true, endpointUrl: gone.url }).then(dataOf)
  await enable()
  await disable(tenant.client, place, id)
  await settled()
  expect(post.unread).toBe(0)
  world.clock.step(day + minute)
  await enable()
  await disable(tenant.client, place, id)
  await settled()
  expect([await post.next(), await post.next(), await post.next()]).toHaveLength(3)
  gone.stop()
})

test('a webhook that fails for long is reported once, with that reason; one that failed once is not', async () => {
  const tenant = await world.organization()
  const place = await newPlace(tenant.client)
  const failing = receiver(statuses(500))
  const body = { endpointUrl: failing.url, eventTypes: ['deployment.queued'] }
  const { id } = dataOf(await tenant.client.post(`${place.path}/webhooks`, body))
  const path = `${place.path}/webhooks/${id}`
  const fails = async (until: () => Promise<boolean>) => {
    await place.emit()
    await eventually('failures enough', () => {
      world.clock.advance(1)
      return until()
    })
  }
  await fails(async () => dataOf(await tenant.client.get(`${path}/deliveries`)).items[0]?.state === 'dead-letter')
  expect([owed(), post.unread]).toEqual([0, 0])
  world.clock.advance(minute)
  await fails(async () => !dataOf(await tenant.client.get(path)).enabled)
  expect(dataOf(await tenant.client.get(path)).disabledReason).toBe('failing')
  expect(words(await post.next(ownerEmail))).toContain('All attempts failed for a long time')
  await settled()
  expect(post.unread).toBe(0)
  failing.stop()
})

test('an organization gets ten notices of disabled webhooks a day, whatever is enabled again', async () => {
  const tenant = await world.organization()
  const place = await newPlace(tenant.client)
  for (let count = 0; count < 9; count += 1) {
    tenancy.insert('notices', {
      id: newId('ntc'),
      organization_id: tenant.id,
      kind: 'webhook.disabled',
      subject_id: newId('whk'),
      data: '{}',
      created_at: world.clock.now(),
    })
  }
  await disabledWebhook(tenant.client, place)
  await post.next(ownerEmail)
  await disabledWebhook(tenant.client, place)
  await settled()
  expect(post.unread).toBe(0)
})

test('a member who has left, or lost the role, gets no pending notice', async () => {
  const tenant = await world.organization()
  const [left, demoted] = [tenancy.user(tenant.id, 'admin'), tenancy.user(tenant.id, 'admin')] as [string, string]
  post.manner = 'postpones'
  await disabledWebhook(tenant.client, await newPlace(tenant.client))
  await eventually('an attempt for each', () => new Set(post.attempts).size >= 3)
  await eventually('no attempt under way', () => world.troupe.lines.filter(({ attempt }) => attempt === 1).length >= 3)
  const members = `/api/v1/organizations/${tenant.id}/members`
  expect((await tenant.client.delete(`${members}/${left}`)).status).toBe(204)
  dataOf(await tenant.client.patch(`${members}/${demoted}`, { role: 'member' }))
  const tried = post.attempts.length
  post.manner = 'takes'
  world.clock.advance(2 * minute)
  await post.next(ownerEmail)
  await settled()
  expect(post.attempts.slice(tried)).toEqual([ownerEmail])
  expect(JSON.stringify(world.troupe.lines)).toContain('no longer manages the organization')
})

test('notices are removed after two days', async () => {
  const tenant = await world.organization()
  await tenant.ran(2 * minute)
  await post.next(ownerEmail)
  await settled()
  expect(tenancy.all('select id from notices where organization_id = ?', tenant.id)).toHaveLength(1)
  world.clock.step(2 * day + minute)
  world.clock.advance(10 * minute)
  // a sweep that was running meanwhile runs again after its interval
  await eventually('no notice', () => {
    world.clock.advance(10 * minute)
    return tenancy.all('select id from notices').length === 0
  })
  expect(tenancy.all('select id from notice_mails')).toEqual([])
})

test('owners and admins are told that an alert fires and is resolved, and of its test, as its rule says', async () => {
  const tenant = await world.organization()
  const admin = tenancy.user(tenant.id, 'admin')
  tenancy.user(tenant.id, 'member')
  const make = async (changes: object) =>
    dataOf(
      await tenant.client.post('/api/v1/alert-rules', {
        name: 'Runs\u00a0fail <here>',
        condition: { type: 'failing', count: 1, withinMinutes: 10 },
        resolveAfterMinutes: 0,
        notify: { webhooks: false, mail: true },
        ...changes,
      }),
    )
  const { id } = await make({})
  await make({ name: 'Silent', notify: { webhooks: true, mail: false } })
  const managers = [ownerEmail, `${admin}@example.com`].toSorted()
  /** The next mail, which each manager has received. */
  const mailed = async () => {
    const mails = [await post.next(), await post.next()] as [Received, Received]
    expect(mails.flatMap(({ recipients }) => recipients).toSorted()).toEqual(managers)
    expect(mails[0].raw).toMatch(new RegExp(`https?://[^\\s"]+/o/team-\\w+/alerts/${id}`))
    return { subject: mails[0].subject, text: words(mails[0]) }
  }

  expect(dataOf(await tenant.client.post(`/api/v1/alert-rules/${id}/test`))).toEqual({ webhooks: false, mail: true })
  const trial = await mailed()
  expect(trial.subject).toBe('Test: Runs fail <here> is firing')
  expect(trial.text).toContain('This is a test of the rule, not an alert.')

  const attempt = await tenant.running()
  expect((await attempt.complete(failed(false))).status).toBe(200)
  await eventually('the alert', async () => {
    await world.clock.advance(minute)
    return dataOf(await tenant.client.get(`/api/v1/alert-rules/${id}`)).state === 'firing'
  })
  const firing = await mailed()
  expect(firing.subject).toBe('Runs fail <here> is firing')
  expect(firing.text).toContain('1 run or more failed within 10 minutes')
  expect(firing.text).toContain('Measured: 1.')

  await eventually('its end', async () => {
    await world.clock.advance(minute)
    return dataOf(await tenant.client.get(`/api/v1/alert-rules/${id}`)).state === 'ok'
  })
  expect((await mailed()).subject).toBe('Runs fail <here> is resolved')
  await settled()
  expect(post.unread).toBe(0)
})

test('without a mail server nothing is stored', async () => {
  const quiet = await openWorld({ TROUPE_ALLOW_PRIVATE_ADDRESSES: 'true' })
  const rows = new Tenancy(quiet.troupe.file)
  try {
    const tenant = await quiet.organization()
    await disabledWebhook(tenant.client, await newPlace(tenant.client))
    await tenant.ran(150 * second)
    await eventually('the announcements', () => rows.all('select id from announcements').length === 0)
    expect(rows.all('select told_percent from usage_counters')).toEqual([{ told_percent: 100 }])
    expect([rows.all('select id from notices'), rows.all('select id from notice_mails')]).toEqual([[], []])
  } finally {
    rows.close()
    await quiet.stop()
  }
})

test('a server that is killed while it sends leaves the mail; the next one sends it, once', async () => {
  const site = await Site.create({
    TROUPE_RUNNER: 'none',
    TROUPE_ALLOW_PRIVATE_ADDRESSES: 'true',
    TROUPE_SMTP_URL: post.url,
  })
  try {
    post.manner = 'hangs'
    const tried = post.attempts.length
    const before = await site.start()
    await disabledWebhook(before.client, await newPlace(before.client))
    await eventually('a mail under way', () => post.attempts.length > tried)
    await before.end('SIGKILL')
    expect(post.unread).toBe(0)
    // as if the retry delay had passed
    const store = new Database(site.storePath)
    store.run('update notice_mails set mail_due_at = 1 where mail_due_at is not null')
    store.close()
    post.manner = 'takes'
    await site.start()
    expect((await post.next(ownerEmail)).subject).toBe('A webhook of Project was disabled')
    const left = new Tenancy(site.storePath)
    await eventually('it is settled', () =>
      left.all<{ mail_due_at: number | null }>('select mail_due_at from notice_mails').every((row) => !row.mail_due_at),
    )
    left.close()
    expect(post.unread).toBe(0)
  } finally {
    await endAll()
    await site.remove()
  }
})
