import { expect, test } from 'bun:test'
import { runIdOf } from '../../../src/automation/agent-jobs/run-id.ts'
import { firstIdAt, isId } from '../../../storage/ids.ts'

const at = Date.parse('2026-01-31T12:00:00.005Z')
const scheduledFor = at - 5

test('a tick has one run id, which sorts by the time of the firing', () => {
  const id = runIdOf('job_a', { scheduledFor, at })
  expect(isId('run', id)).toBe(true)
  expect(runIdOf('job_a', { scheduledFor, at })).toBe(id)
  expect(id >= firstIdAt('run', at) && id < firstIdAt('run', at + 1)).toBe(true)
})

test('another job and another tick have different ones', () => {
  const ids = [
    runIdOf('job_a', { scheduledFor, at }),
    runIdOf('job_b', { scheduledFor, at }),
    runIdOf('job_a', { scheduledFor: scheduledFor - 60_000, at }),
  ]
  expect(new Set(ids).size).toBe(3)
})
