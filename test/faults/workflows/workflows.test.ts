/** The server is killed while workflows run. Source: contract 6, "Workflow start"; design 3. */
import { Database } from 'bun:sqlite'
import { afterAll, expect, test } from 'bun:test'
import { stepsOf } from '../../automation/workflows/world.ts'
import { eventually } from '../../support/process.ts'
import { killedWhileTicksAreDue } from '../due-ticks.ts'
import { endShops, inputOf, keys, never, newSite, serve, shopping, start, step, until } from './served-workflows.ts'

afterAll(endShops)

test('killed during a repeatable step: it is repeated with the same key', async () => {
  const site = await newSite()
  const shop = shopping((_, count) => (count === 2 ? never() : Response.json({ ok: true })))
  const before = await site.start()
  const steps = [step('one', 'write', inputOf('one')), step('two', 'write', { after: ['one'], ...inputOf('two') })]
  const served = await serve(before.client, shop, { find: steps })
  const id = await start(before.client, served, 'find', { run: 'a' })
  await eventually('the second request', () => shop.received.length === 2)
  await before.end('SIGKILL')

  const after = await site.start()
  const run = await until(after.client, served, id, ['completed', 'failed', 'unknown'])
  expect([run.state, stepsOf(run)]).toEqual(['completed', 'one:succeeded two:succeeded'])
  expect(run.steps[1]!.attempts).toBe(1)
  expect(keys(shop, '/write/a-one')).toHaveLength(1)
  const [first, second, ...more] = keys(shop, '/write/a-two')
  expect(first).toBeString()
  expect([second, more]).toEqual([first, []])
  expect(await after.end('SIGTERM')).toBe(0)
})

test('killed during a step that must not be repeated: its outcome is unknown until somebody resolves it', async () => {
  const site = await newSite()
  const shop = shopping(({ path }) => (path.startsWith('/charge') ? never() : Response.json({ ok: true })))
  const before = await site.start()
  const steps = [
    step('find', 'read', inputOf('find')),
    step('charge', 'charge', { after: ['find'], ...inputOf('charge') }),
    step('tell', 'read', { after: ['charge'], ...inputOf('tell') }),
  ]
  const served = await serve(before.client, shop, { pay: steps })
  const id = await start(before.client, served, 'pay', { run: 'a' })
  await eventually('the charge', () => shop.received.length === 2)
  await before.end('SIGKILL')

  const after = await site.start()
  const lost = await until(after.client, served, id, ['completed', 'failed', 'unknown'])
  expect([lost.state, stepsOf(lost)]).toEqual(['unknown', 'find:succeeded charge:unknown tell:pending'])
  const resolution = { stepId: 'charge', outcome: { status: 'succeeded', output: { receipt: 1 } } }
  await after.client.post(`${served.path}/${id}/resolve-unknown`, resolution)
  await after.end('SIGKILL')

  const last = await site.start()
  expect(stepsOf(await until(last.client, served, id, ['unknown']))).toBe(
    'find:succeeded charge:succeeded tell:pending',
  )
  await last.client.post(`${served.path}/${id}/resume`)
  const run = await until(last.client, served, id, ['completed'])
  expect(run.steps[1]!.output).toEqual({ receipt: 1 })
  expect(shop.received.map(({ path }) => path)).toEqual(['/read/a-find', '/charge/a-charge', '/read/a-tell'])
  expect(await last.end('SIGTERM')).toBe(0)
})

test('killed before a step begins, and before its end is reported: both are made up for', async () => {
  const site = await newSite()
  const shop = shopping(() => Response.json({ ok: true }))
  const before = await site.start({ TROUPE_RUNNER: 'none' })
  const served = await serve(before.client, shop, {
    find: [step('one', 'approved'), step('two', 'write', { after: ['one'], ...inputOf('two') })],
  })
  const id = await start(before.client, served, 'find', { run: 'a' })
  await until(before.client, served, id, ['waiting'])
  await before.end('SIGKILL')

  // the state after a crash right after the commit of the start: the step is requested, and nobody has begun it
  const database = new Database(site.storePath)
  const { id: invocation } = database.query('select id from operation_invocations').get() as { id: string }
  database.run('delete from operation_approvals')
  database.run('delete from operation_invocations')
  for (const table of ['transitions', 'timers', 'effects']) {
    database.run(`delete from ${table} where actor_id = ?`, [invocation])
  }
  database.run(
    "insert into effects (id, kind, actor_id, name, params, due_at) values ('e', 'workflow-run', ?, 'beginSteps', ?, 0)",
    [id, JSON.stringify({ steps: [{ stepId: 'one', attempt: 1 }] })],
  )
  database.close()
  const between = await site.start()
  const [approval] = await eventually('an approval', async () => {
    const { body } = await between.client.get(`${served.environmentPath}/operation-approvals`, {
      query: { status: 'pending' },
    })
    return body.data.items.length === 1 && body.data.items
  })
  await between.client.post(`${served.environmentPath}/operation-approvals/${approval.id}/approve`)
  await between.end('SIGKILL')

  const after = await site.start()
  expect(stepsOf(await until(after.client, served, id, ['completed']))).toBe('one:succeeded two:succeeded')
  expect(new Set(keys(shop, '/write/a-two')).size).toBe(1)
  expect(await after.end('SIGTERM')).toBe(0)
})

test('killed while a run compensates: the rest is compensated, with the same key', async () => {
  const site = await newSite()
  const shop = shopping(({ path }, count) => {
    if (path.endsWith('pay')) return new Response(null, { status: 402 })
    return count === 4 ? never() : Response.json({ ok: true })
  })
  const before = await site.start()
  const undoing = (id: string) => ({ compensate: { operation: 'shop.write', input: { what: `undo-${id}` } } })
  const served = await serve(before.client, shop, {
    book: [
      step('one', 'write', { ...inputOf('one'), ...undoing('one') }),
      step('two', 'write', { after: ['one'], ...inputOf('two'), ...undoing('two') }),
      step('pay', 'write', { after: ['two'], ...inputOf('pay') }),
    ],
  })
  const id = await start(before.client, served, 'book', { run: 'a' })
  await eventually('the first compensation', () => shop.received.length === 4)
  await before.end('SIGKILL')

  const after = await site.start()
  const run = await until(after.client, served, id, ['failed'])
  expect(run.steps.map(({ compensation }) => compensation?.state)).toEqual(['succeeded', 'succeeded', undefined])
  const [first, second, ...more] = keys(shop, '/write/undo-two')
  expect([second, more]).toEqual([first, []])
  expect(keys(shop, '/write/undo-one')).toHaveLength(1)
  expect(shop.received.at(-1)!.path).toBe('/write/undo-one')
  expect(await after.end('SIGTERM')).toBe(0)
})

test('killed while a step goes through a list: the rest is done, and nothing is forgotten or repeated', async () => {
  const site = await newSite()
  const shop = shopping((_, count) => (count === 4 ? never() : Response.json({ ok: true })))
  const before = await site.start()
  const all = step('all', 'write', { forEach: '{{params.items}}', concurrency: 1, input: { what: '{{item}}' } })
  const served = await serve(before.client, shop, { list: [all] })
  const id = await start(before.client, served, 'list', { items: ['a', 'b', 'c', 'd', 'e'] })
  await eventually('the fourth request', () => shop.received.length === 4)
  await before.end('SIGKILL')

  const after = await site.start()
  const run = await until(after.client, served, id, ['completed'])
  expect(run.steps[0]!.output).toEqual(Array.from({ length: 5 }, () => ({ ok: true })))
  expect(shop.received.map(({ path }) => path.at(-1))).toEqual(['a', 'b', 'c', 'd', 'd', 'e'])
  expect(new Set(keys(shop, '/write/d')).size).toBe(1)
  expect(await after.end('SIGTERM')).toBe(0)
})

test('SIGTERM between steps, and during one, leaves no unknown outcome: the next server continues', async () => {
  const site = await newSite()
  const shop = shopping(async () => {
    await Bun.sleep(40)
    return Response.json({ ok: true })
  })
  const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']
  const steps = names.map((name, place) =>
    step(name, 'charge', { ...inputOf(name), ...(place > 0 && { after: [names[place - 1]] }) }),
  )
  let server = await site.start()
  const served = await serve(server.client, shop, { pay: steps })
  const ids = await Promise.all(['x', 'y', 'z'].map((run) => start(server.client, served, 'pay', { run })))
  for (const requests of [4, 13]) {
    await eventually('some requests', () => shop.received.length >= requests)
    expect(await server.end('SIGTERM')).toBe(0)
    server = await site.start()
  }
  for (const id of ids) {
    const run = await until(server.client, served, id, ['completed', 'failed', 'unknown'])
    expect([run.state, stepsOf(run)]).toEqual(['completed', names.map((name) => `${name}:succeeded`).join(' ')])
  }
  expect(shop.received).toHaveLength(ids.length * names.length)
  expect(await server.end('SIGTERM')).toBe(0)
})

test('killed repeatedly at random moments: nothing that must not be repeated is repeated, and nothing is forgotten', async () => {
  const site = await newSite()
  const shop = shopping(() => Response.json({ ok: true }))
  let server = await site.start()
  const served = await serve(server.client, shop, {
    pay: [
      step('find', 'read', inputOf('find')),
      step('charge', 'charge', { after: ['find'], ...inputOf('charge') }),
      step('log', 'read', { after: ['find'], ...inputOf('log') }),
      step('tell', 'read', { after: ['charge', 'log'], ...inputOf('tell') }),
    ],
  })
  const ids: string[] = []
  let count = 0
  for (let round = 0; round < 4; round += 1) {
    const { client } = server
    let starting = true
    const begin = async () => {
      while (starting) {
        count += 1
        const body = { agentId: served.agentId, definitionIdOrName: 'pay', params: { run: `r${count}` } }
        const reply = await client.post(served.path, body).catch(() => undefined)
        if (reply?.status !== 202) return
        ids.push(reply.body.data.workflowRunId)
      }
    }
    const before = ids.length
    const begun = Promise.all([begin(), begin()])
    await eventually('an acknowledged start', () => ids.length > before)
    await Bun.sleep(Math.random() * 120)
    await server.end('SIGKILL')
    starting = false
    await begun
    server = await site.start()
  }
  const { client } = server
  for (const id of ids) {
    const stands = await until(client, served, id, ['completed', 'unknown', 'failed'])
    if (stands.state === 'unknown') {
      await client.post(`${served.path}/${id}/resolve-unknown`, { stepId: 'charge', outcome: 'succeeded' })
      await client.post(`${served.path}/${id}/resume`)
    }
    const run = await until(client, served, id, ['completed', 'failed'])
    expect([run.state, run.steps.map(({ attempts }) => attempts)]).toEqual(['completed', [1, 1, 1, 1]])
  }
  const asked = Map.groupBy(shop.received, ({ path }) => path)
  for (const [path, requests] of asked) {
    if (path.startsWith('/charge')) expect([path, requests.length]).toEqual([path, 1])
  }
  expect(await server.end('SIGTERM')).toBe(0)
})

test('killed while ticks of jobs start workflows: each tick has exactly one run', async () => {
  const jobsCount = 30
  const site = await newSite()
  let server = await site.start()
  const served = await serve(server.client, shopping(), { rest: [{ id: 'rest', sleep: 60_000 }] })
  const { environmentPath, agentId } = served
  const body = { agentId, name: 'Rest', schedule: { cron: '0 0 1 1 *' }, workflow: 'rest' }
  for (let count = 0; count < jobsCount; count += 1) {
    expect((await server.client.post(`${environmentPath}/agent-jobs`, body)).status).toBe(201)
  }
  await server.end('SIGKILL')

  const { count, close, ...after } = await killedWhileTicksAreDue(site, jobsCount, { rounds: 2, each: 8 })
  server = after.server
  expect(count(`select count(*) from job_firings where outcome = 'started'`)).toBe(jobsCount)
  expect(count('select count(*) from workflow_runs')).toBe(jobsCount)
  expect(count('select count(distinct agent_job_id) from workflow_runs')).toBe(jobsCount)
  expect(
    count('select count(*) from job_firings join workflow_runs on workflow_runs.id = job_firings.workflow_run_id'),
  ).toBe(jobsCount)
  close()
  expect(server.output()).not.toContain('"level":"error"')
  expect(await server.end('SIGTERM')).toBe(0)
})
