/** A start with large attachments: stored in pieces, and read like any other. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { canonical } from '../../../src/platform/http/canonical.ts'
import { digestOf } from '../../../src/platform/http/digest.ts'
import { openTroupe, type Troupe } from '../../support/troupe.ts'

const path = '/api/v1/agent-runs'
let troupe: Troupe
beforeAll(async () => {
  troupe = await openTroupe()
})
afterAll(() => troupe?.stop())

test('it runs, and its digests are those of its input and its checkpoint', async () => {
  const data = Buffer.alloc(1_500_000, 65).toString('base64')
  const contents = [{ type: 'file', mediaType: 'text/plain', filename: 'a.txt', data }]
  const query = '/say Thanks.'
  const { status, body } = await troupe.owner.post(path, { agentId: 'agt_system_assistant', query, contents })
  expect(status).toBe(200)
  expect(body.data.inputDigest).toBe(digestOf({ query, contents }))

  let run = body.data
  while (run.state !== 'completed') {
    await Bun.sleep(20)
    run = (await troupe.owner.get(`${path}/${run.id}`)).body.data
    expect(['failed', 'canceled', 'expired']).not.toContain(run.state)
  }
  const latest = await troupe.owner.get(`${path}/${run.id}/checkpoints/latest`)
  expect(latest.status).toBe(200)
  const { checkpoint, runtimeCheckpoint } = latest.body.data
  const text = canonical(runtimeCheckpoint)
  expect(text.includes('A'.repeat(1_000_000)) || text.includes(data)).toBe(true)
  expect(checkpoint.artifact.digest).toBe(digestOf(runtimeCheckpoint))
  expect(checkpoint.artifact.sizeBytes).toBe(Buffer.byteLength(text))
})
