/** The server is killed while workflows wait: for approvals, time, events and children. Source: contract 6, "Workflow start"; design 3. */
import { Database } from 'bun:sqlite'
import { afterAll, expect, test } from 'bun:test'
import { stepsOf } from '../../automation/workflows/world.ts'
import type { Client } from '../../support/client.ts'
import { eventually } from '../../support/process.ts'
import { endShops, inputOf, keys, never, newSite, serve, shopping, start, step, until } from './served-workflows.ts'

afterAll(endShops)

test('killed while a run waits for an approval, and for another attempt of a step: it resumes where it was', async () => {
  const site = await newSite()
  let count = 0
  const shop = shopping(() => {
    count += 1
    return count === 1 ? new Response(null, { status: 503 }) : Response.json({ ok: true })
  })
  const before = await site.start()
  const served = await serve(before.client, shop, {
    ask: [
      step('ask', 'approved', { input: { sum: 3 } }),
      step('pay', 'echo', { input: { paid: '{{steps.ask.output.sum}}' } }),
    ],
    retry: [step('find', 'read', { ...inputOf('find'), retry: { maxAttempts: 2, backoffMs: 1_000 } })],
  })
  const asking = await start(before.client, served, 'ask')
  const retrying = await start(before.client, served, 'retry', { run: 'a' })
  await until(before.client, served, asking, ['waiting'])
  await eventually('a step that waits', async () => {
    const { body } = await before.client.get(`${served.path}/${retrying}`)
    return body.data.steps[0].state === 'pending'
  })
  await before.end('SIGKILL')

  const after = await site.start()
  const { body } = await after.client.get(`${served.environmentPath}/operation-approvals`, {
    query: { status: 'pending' },
  })
  await after.client.post(`${served.environmentPath}/operation-approvals/${body.data.items[0].id}/approve`)
  expect((await until(after.client, served, asking, ['completed'])).steps[1]!.output).toEqual({ paid: 3 })
  expect(await until(after.client, served, retrying, ['completed'])).toMatchObject({ steps: [{ attempts: 2 }] })
  expect(await after.end('SIGTERM')).toBe(0)
})

test('killed while a run sleeps: it wakes at its time, and weighs the conditions after it', async () => {
  const site = await newSite()
  const shop = shopping(() => Response.json({ ok: true }))
  const before = await site.start()
  const served = await serve(before.client, shop, {
    doze: [
      step('one', 'write', inputOf('one')),
      { id: 'nap', sleep: 4_000, after: ['one'] },
      step('two', 'write', { after: ['nap'], when: '{{steps.one.output.ok}}', ...inputOf('two') }),
      step('three', 'write', { after: ['nap'], when: { '!': '{{steps.one.output.ok}}' }, ...inputOf('three') }),
    ],
  })
  const id = await start(before.client, served, 'doze', { run: 'a' })
  const asleep = await until(before.client, served, id, ['waiting'])
  await before.end('SIGKILL')

  const after = await site.start()
  const run = await until(after.client, served, id, ['completed'])
  expect(stepsOf(run)).toBe('one:succeeded nap:succeeded two:succeeded three:skipped')
  expect(run.steps[1]).toMatchObject({ attempts: 1, startedAt: asleep.steps[1]!.startedAt })
  expect(run.steps[1]!.endedAt! >= asleep.steps[1]!.waitsUntil!).toBe(true)
  expect(shop.received.map(({ path }) => path)).toEqual(['/write/a-one', '/write/a-two'])
  expect(await after.end('SIGTERM')).toBe(0)
})

test('killed while runs wait for events, and right after one came: each run gets its own', async () => {
  const site = await newSite()
  const shop = shopping(() => Response.json({ ok: true }))
  const before = await site.start()
  const paid = { id: 'paid', waitFor: { event: 'paid', correlation: '{{params.run}}', timeoutMs: 3_600_000 } }
  const served = await serve(before.client, shop, {
    sell: [paid, step('send', 'write', { after: ['paid'], ...inputOf('send') })],
  })
  const send = async (client: Client, correlation: string) =>
    expect(
      (await client.post(`${served.environmentPath}/workflow-events`, { event: 'paid', correlation })).status,
    ).toBe(202)
  const ids = [
    await start(before.client, served, 'sell', { run: 'a' }),
    await start(before.client, served, 'sell', { run: 'b' }),
  ]
  for (const id of ids) await until(before.client, served, id, ['waiting'])
  await send(before.client, 'c')
  await send(before.client, 'a')
  await before.end('SIGKILL')

  const after = await site.start()
  await send(after.client, 'b')
  ids.push(await start(after.client, served, 'sell', { run: 'c' }))
  for (const id of ids)
    expect(stepsOf(await until(after.client, served, id, ['completed']))).toBe('paid:succeeded send:succeeded')
  expect(shop.received.map(({ path }) => path).sort()).toEqual(['a', 'b', 'c'].map((run) => `/write/${run}-send`))
  expect(await after.end('SIGTERM')).toBe(0)
})

test('killed while a child runs: the run above goes on, with one child', async () => {
  const site = await newSite()
  const shop = shopping((_, count) => (count === 1 ? never() : Response.json({ ok: true })))
  const before = await site.start()
  const served = await serve(before.client, shop, {
    inner: [step('one', 'write', { input: { what: 'one' } })],
    outer: [{ id: 'child', workflow: 'inner' }, step('two', 'write', { after: ['child'], input: { what: 'two' } })],
  })
  const id = await start(before.client, served, 'outer')
  await eventually('the request of the child', () => shop.received.length === 1)
  await before.end('SIGKILL')

  const between = await site.start()
  const run = await until(between.client, served, id, ['completed'])
  const child = run.steps[0]!.childWorkflowRunId!
  expect(stepsOf(run)).toBe('child:succeeded two:succeeded')
  await between.end('SIGKILL')
  const database = new Database(site.storePath)
  expect(database.query('select id from workflow_runs where parent_run_id = ?').all(id)).toEqual([{ id: child }])
  database.close()
  expect(keys(shop, '/write/one').filter((key, place, all) => all.indexOf(key) === place)).toHaveLength(1)
})
