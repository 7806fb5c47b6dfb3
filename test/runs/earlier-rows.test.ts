/** Rows of earlier versions, with JSON objects in place of lists, are read like today's. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { agentText, executionText, usageText } from '../../src/runs/records/step-columns.ts'
import { readFrames } from '../../src/runs/stream/stored-frames.ts'
import { openFile } from '../tenancy/deletions/rows.ts'
import { EventReader } from './stream/event-stream.ts'
import { openWorld, type World } from './world.ts'

const path = '/api/v1/agent-runs'
const agent = { agentId: 'agt_system_assistant', agentRevisionId: 'agr_1', name: 'Assistant' }
const execution = { provider: 'openai', model: 'm', finishReason: 'stop', toolCallId: null, retries: 2 }
const tokenUsage = { inputTokens: 3, outputTokens: 4, totalTokens: 7, cachedInputTokens: 0, reasoningTokens: 1 }

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world?.close())

/** All answers that show the run's context and its steps. */
async function answers(runId: string) {
  const [run, list, steps, stream] = await Promise.all([
    world.owner.get(`${path}/${runId}`),
    world.owner.get(path),
    world.owner.get(`${path}/${runId}/steps`),
    world.owner.raw('GET', `${path}/${runId}/stream`),
  ])
  expect([run.status, list.status, steps.status]).toEqual([200, 200, 200])
  return {
    run: run.body.data,
    listed: list.body.agentRuns.find(({ id }: { id: string }) => id === runId),
    steps: steps.body.data.items,
    events: await new EventReader(stream).all(),
  }
}

test('a run with rows of an earlier version has the same answers', async () => {
  const runId = await world.start()
  const root = await world.runner.begin(runId)
  const model = await world.runner.startStep(runId, {
    parent_agent_step_id: root,
    kind: 'model',
    agent: agentText(agent),
    execution: executionText({ ...execution, finishReason: null, retries: 0 }),
  })
  const ending = {
    status: 'completed' as const,
    output: '"Hi"',
    error: null,
    token_usage: usageText(tokenUsage),
    execution: executionText(execution),
  }
  await world.runner.report(runId, { report: 'stepEnded', agentStepId: model, ending })
  await world.runner.complete(runId)

  const before = await answers(runId)
  expect(before.steps.at(-1)).toMatchObject({ agent, execution, tokenUsage })
  expect(before.run.state).toBe('completed')

  const database = openFile(world.file)
  try {
    const [row] = database.query<{ context: string }, [string]>('select context from runs where id = ?').all(runId)
    const absent = { lease: null, activeSince: null, awaiting: [], stopRequested: false, cause: null }
    expect(JSON.parse(row!.context)).not.toHaveProperty('awaiting')
    database.run('update runs set context = ? where id = ?', [
      JSON.stringify({ ...absent, contentRemoved: false, ...JSON.parse(row!.context) }),
      runId,
    ])
    for (const { agentStepId, agent, execution, tokenUsage } of before.steps) {
      database.run('update agent_steps set agent = ?, execution = ?, token_usage = ? where agent_step_id = ?', [
        ...[agent, execution, tokenUsage].map((each) => JSON.stringify(each)),
        agentStepId,
      ])
    }
    const groups = database
      .query<{ at: number; frames: string }, [string]>('select rowid as at, frames from run_events where run_id = ?')
      .all(runId)
    for (const { at, frames } of groups) {
      const whole = JSON.stringify(readFrames(frames))
      expect(whole).toContain('"step.')
      database.run('update run_events set frames = ? where rowid = ?', [whole, at])
    }
    expect(groups.length).toBeGreaterThan(0)
  } finally {
    database.close()
  }
  expect(await answers(runId)).toEqual(before)
})
