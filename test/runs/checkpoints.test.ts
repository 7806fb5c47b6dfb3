import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { ModelMessage } from 'ai'
import canonicalize from 'canonicalize'
import { canonical } from '../../src/platform/http/canonical.ts'
import { digestOfText } from '../../src/platform/http/digest.ts'
import { linksMax, selectCheckpoint } from '../../src/runs/records/checkpoints.ts'
import type { RuntimeCheckpoint } from '../../src/runs/runner/protocol/protocol.ts'
import type { CheckpointRow } from '../../storage/tables.ts'
import { openWorld, type World } from './world.ts'

const path = '/api/v1/agent-runs'
let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world?.close())

const says = (content: string): ModelMessage => ({ role: 'user', content })
const artifact = (messages: ModelMessage[], stepCount = messages.length): RuntimeCheckpoint => ({
  version: 1,
  messages,
  stepCount,
  pendingToolCalls: [],
  chain: 1,
})
const rowsOf = (runId: string) =>
  world.store.all<CheckpointRow>({
    sql: 'select * from checkpoints where run_id = ? order by sequence',
    parameters: [runId],
  })
const damage = (set: string, checkpointId: number) =>
  world.store.commit([{ sql: `update checkpoints set ${set} where checkpoint_id = ?`, parameters: [checkpointId] }])

/** A run with one checkpoint for each of these conversations. */
async function runWith(...conversations: ModelMessage[][]) {
  const runId = await world.start()
  const step = await world.runner.begin(runId)
  const checkpointIds: number[] = []
  for (const messages of conversations) {
    const report = { kind: 'step' as const, runtimeCheckpoint: artifact(messages) }
    checkpointIds.push(await world.runner.checkpoint(runId, step, report))
  }
  return { runId, step, checkpointIds }
}
const grown = (count: number) =>
  Array.from({ length: count }, (_, index) => Array.from({ length: index + 1 }, (_, at) => says(`message ${at} ü`)))

describe('a checkpoint', () => {
  test('contains the messages since the previous one', async () => {
    const { runId } = await runWith(...grown(3))
    const rows = await rowsOf(runId)
    expect(rows.map((row) => JSON.parse(row.messages).length)).toEqual([1, 1, 1])
    expect(rows.map((row) => row.base_checkpoint_id)).toEqual([
      null,
      rows[0]?.checkpoint_id,
      rows[1]?.checkpoint_id,
    ] as never)
    expect(rows.map((row) => row.message_count)).toEqual([1, 2, 3])
  })

  test('contains all messages if it does not extend the previous one', async () => {
    const { runId } = await runWith([says('a'), says('b')], [says('a'), says('c')], [says('a')])
    expect((await rowsOf(runId)).map((row) => [row.base_checkpoint_id, row.message_count])).toEqual([
      [null, 2],
      [null, 2],
      [null, 1],
    ])
  })

  test('contains all messages at least at every fiftieth', async () => {
    const { runId } = await runWith(...grown(linksMax + 4))
    const full = (await rowsOf(runId)).filter((row) => row.base_checkpoint_id === null).map(({ sequence }) => sequence)
    expect(full).toEqual([1, linksMax + 2])
    const { body } = await world.owner.get(`${path}/${runId}/checkpoints/latest`)
    expect(body.data.runtimeCheckpoint.messages).toEqual(grown(linksMax + 4).at(-1))
  })

  test('has the digest and the size of the artifact as it is returned', async () => {
    const { runId } = await runWith(...grown(3))
    const { body } = await world.owner.get(`${path}/${runId}/checkpoints/latest`)
    const { checkpoint, runtimeCheckpoint } = body.data
    const text = canonicalize(runtimeCheckpoint) as string
    expect(checkpoint.artifact).toEqual({
      digest: `sha256:${new Bun.CryptoHasher('sha256').update(text).digest('hex')}`,
      sizeBytes: Buffer.byteLength(text),
      mediaType: 'application/json',
    })
    expect(runtimeCheckpoint).toEqual(artifact(grown(3).at(-1) as ModelMessage[]))
  })
})

describe('the latest checkpoint', () => {
  test('comes with its step', async () => {
    const { runId, step, checkpointIds } = await runWith(...grown(2))
    const { body } = await world.owner.get(`${path}/${runId}/checkpoints/latest`)
    expect(body.data.checkpoint).toMatchObject({
      checkpointId: checkpointIds[1],
      agentStepId: step,
      agentRunId: runId,
      sequence: 2,
      kind: 'step',
    })
    expect(body.data.stepPayload).toMatchObject({
      agentStepId: step,
      kind: 'agent',
      lastCheckpointId: checkpointIds[1],
    })
  })

  test('is the input before there is another', async () => {
    const runId = await world.startIn('running')
    const { checkpoint, ...rest } = (await world.owner.get(`${path}/${runId}/checkpoints/latest`)).body.data
    expect(rest).toEqual({
      runtimeCheckpoint: {
        version: 1,
        messages: [{ role: 'user', content: 'Hello' }],
        stepCount: 0,
        pendingToolCalls: [],
        chain: 1,
      },
      stepPayload: null,
    })
    expect(checkpoint).toMatchObject({ checkpointId: 0, sequence: 0, kind: 'input', agentStepId: null, attempt: 0 })
    expect((await world.owner.get(`${path}/${runId}/checkpoints`)).body.data.items).toEqual([checkpoint])
  })

  test.each([
    ['its messages are not the stored ones', `messages = '[{"role":"user","content":"forged"}]'`, 2],
    ['its messages are not JSON', `messages = '[{'`, 2],
    ['its remainder is not JSON', `remainder = 'x'`, 2],
    ['its digest differs', `digest = 'sha256:0'`, 2],
    ['its base is missing', 'base_checkpoint_id = 999999', 2],
    ['it is its own base', 'base_checkpoint_id = checkpoint_id', 2],
  ])('is the previous one when %s', async (_what, set, good) => {
    const { runId, checkpointIds } = await runWith(...grown(3))
    await damage(set, checkpointIds[2] as number)
    const { body } = await world.owner.get(`${path}/${runId}/checkpoints/latest`)
    expect(body.data.checkpoint.sequence).toBe(good)
    expect(body.data.runtimeCheckpoint.messages).toEqual(grown(good).at(-1))
    const selected = await selectCheckpoint(world.store, runId)
    expect(selected?.row.sequence).toBe(good)
  })

  test('is the input when all others depend on a damaged one', async () => {
    const { runId, checkpointIds } = await runWith(...grown(3))
    await damage(`messages = '[]'`, checkpointIds[0] as number)
    const latest = await world.owner.get(`${path}/${runId}/checkpoints/latest`)
    expect(latest.body.data.checkpoint).toMatchObject({ checkpointId: 0, kind: 'input' })
    expect(await selectCheckpoint(world.store, runId)).toBeUndefined()
  })

  test('reports the damaged ones', async () => {
    const { runId, checkpointIds } = await runWith(...grown(1))
    await damage(`messages = '[]'`, checkpointIds[0] as number)
    const logged: string[] = []
    await selectCheckpoint(world.store, runId, ({ message }) => logged.push(message))
    expect(logged).toEqual([`Checkpoint ${checkpointIds[0]} does not match its digest.`])
  })
})

describe('the list of checkpoints', () => {
  test('contains the input without reading it again', async () => {
    const runId = await world.startIn('running')
    const listed = async () => (await world.owner.get(`${path}/${runId}/checkpoints`)).body.data.items
    const before = await listed()
    const { checkpoint, runtimeCheckpoint } = (await world.owner.get(`${path}/${runId}/checkpoints/latest`)).body.data
    const { digest, sizeBytes } = checkpoint.artifact
    const text = canonical(runtimeCheckpoint)
    expect({ digest, sizeBytes }).toEqual({ digest: digestOfText(text), sizeBytes: Buffer.byteLength(text) })
    // reading the input would fail
    await world.store.commit([{ sql: `update run_inputs set body = '{' where run_id = ?`, parameters: [runId] }])
    expect(await listed()).toEqual(before)
    expect(before).toEqual([checkpoint])
  })

  test('is newest first, in pages', async () => {
    const { runId, checkpointIds } = await runWith(...grown(5))
    const found: number[] = []
    for (let cursor: string | undefined, more = true; more; ) {
      const { body } = await world.owner.get(`${path}/${runId}/checkpoints`, { query: { limit: 2, cursor } })
      found.push(...body.data.items.map(({ checkpointId }: { checkpointId: number }) => checkpointId))
      cursor = body.pagination.nextCursor
      more = body.pagination.hasMore
    }
    expect(found).toEqual([...checkpointIds.toReversed(), 0])
  })

  test("refuses another run's cursor", async () => {
    const { runId } = await runWith(...grown(2))
    const { body } = await world.owner.get(`${path}/${runId}/checkpoints`, { query: { limit: 1 } })
    const { runId: other } = await runWith(...grown(2))
    const query = { cursor: body.pagination.nextCursor }
    expect((await world.owner.get(`${path}/${other}/checkpoints`, { query })).status).toBe(422)
  })
})

describe("a checkpoint's artifact metadata", () => {
  test('has the digest as ETag, with GET and HEAD alike', async () => {
    const { runId, step, checkpointIds } = await runWith(...grown(1))
    const address = `${path}/${runId}/steps/${step}/checkpoints/${checkpointIds[0]}`
    const get = await world.owner.get(address)
    const head = await world.owner.head(address)
    expect(get.body.data).toMatchObject({ checkpointId: checkpointIds[0], agentStepId: step })
    expect([get.status, head.status, head.body]).toEqual([200, 200, undefined])
    for (const { headers } of [get, head]) expect(headers.get('etag')).toBe(`"${get.body.data.artifact.digest}"`)
    expect(head.headers.get('content-type')).toBe(get.headers.get('content-type'))
  })

  test('is 404 for ids that do not belong together', async () => {
    const one = await runWith(...grown(1))
    const model = await world.runner.startStep(one.runId, { parent_agent_step_id: one.step })
    const other = await runWith(...grown(1))
    for (const address of [
      `${one.runId}/steps/${model}/checkpoints/${one.checkpointIds[0]}`,
      `${one.runId}/steps/${one.step}/checkpoints/${other.checkpointIds[0]}`,
      `${one.runId}/steps/${other.step}/checkpoints/${other.checkpointIds[0]}`,
      `${one.runId}/steps/${one.step}/checkpoints/0`,
      `${one.runId}/steps/${one.step}/checkpoints/x`,
    ]) {
      expect((await world.owner.get(`${path}/${address}`)).status).toBe(404)
      expect((await world.owner.head(`${path}/${address}`)).status).toBe(404)
    }
  })
})
