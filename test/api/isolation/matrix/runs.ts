/** The operations of the wing `runs`. */
import type { Ids } from '../furnish.ts'
import { everybody, type Row } from './rows.ts'

const run = ({ run }: Ids) => ({ agentRunId: run })
const ofRun: Row = { level: 'run', path: run }
const orBulk = ['agent-runs:cancel', 'agent-runs:continue', 'agent-runs:create']
const ofBulkAction: Row = { level: 'run', or: orBulk, path: ({ bulkAction: bulkActionId }) => ({ bulkActionId }) }
const bulkActionActor: Row = { level: 'run', or: orBulk, path: ({ bulkAction: id }) => ({ id }) }
const ofPool: Row = { level: 'whole', path: ({ pool: poolId }) => ({ poolId }) }
const ofToken: Row = { level: 'whole', path: ({ pool: poolId, poolToken: tokenId }) => ({ poolId, tokenId }) }

export const runs: Record<string, Row> = {
  createBulkAction: {
    level: 'list',
    or: orBulk,
    body: () => ({ action: 'continue', filter: {}, query: 'Go on', dryRun: true }),
  },
  getBulkAction: ofBulkAction,
  cancelBulkAction: ofBulkAction,
  getBulkActionActor: bulkActionActor,
  streamBulkActionActor: { ...bulkActionActor, endless: true },
  previewBulkActionEvent: { ...bulkActionActor, body: () => ({ event: 'cancel' }) },
  verifyBulkActionActor: bulkActionActor,
  leaseAttempt: everybody,
  bootAttempt: everybody,
  beatAttempt: everybody,
  reportAttemptEvents: everybody,
  callAttemptOperation: everybody,
  streamAttemptModel: everybody,
  completeAttempt: everybody,
  startAgentStep: everybody,
  endAgentStep: everybody,
  writeCheckpoint: everybody,
  listAgentRuns: { level: 'list' },
  streamAgentRunChanges: { level: 'list', endless: true },
  getAgentRunStatistics: { level: 'tallied' },
  startAgentRun: { level: 'create', body: () => ({ agentId: 'agt_system_assistant', query: 'Hello' }) },
  getAgentRun: ofRun,
  cancelAgentRun: ofRun,
  continueAgentRun: { ...ofRun, body: () => ({ query: 'Go on' }), hidden: true },
  forkAgentRun: { ...ofRun, body: () => ({ query: 'Otherwise' }) },
  startAgentRunNow: ofRun,
  giveDelegateResult: { ...ofRun, body: () => ({ toolCallId: 'call', result: 1 }) },
  listAgentRunTransitions: ofRun,
  listAgentRunLogs: ofRun,
  listAgentSteps: ofRun,
  getAgentStep: { ...ofRun, path: (ids) => ({ ...run(ids), agentStepId: '1' }), missing: true },
  getCheckpoint: { ...ofRun, path: (ids) => ({ ...run(ids), agentStepId: '1', checkpointId: '1' }), missing: true },
  listCheckpoints: ofRun,
  getLatestCheckpoint: { ...ofRun, missing: true },
  streamAgentRun: { ...ofRun, endless: true },
  getRunActor: { level: 'run', path: ({ run: id }) => ({ id }) },
  streamRunActor: { level: 'run', path: ({ run: id }) => ({ id }), endless: true },
  previewRunEvent: { level: 'run', path: ({ run: id }) => ({ id }), body: () => ({ event: 'cancel' }) },
  verifyRunActor: { level: 'run', path: ({ run: id }) => ({ id }) },
  listRunnerPools: { level: 'whole' },
  createRunnerPool: { level: 'whole', body: () => ({ name: `pool-${crypto.randomUUID()}` }) },
  getRunnerPool: ofPool,
  updateRunnerPool: { ...ofPool, body: () => ({ name: 'Renamed' }) },
  deleteRunnerPool: { ...ofPool, destroys: true },
  listRunnerTokens: ofPool,
  createRunnerToken: { ...ofPool, body: () => ({}) },
  rotateRunnerToken: { ...ofToken, body: () => ({ overlapSeconds: 60 }) },
  revokeRunnerToken: { ...ofToken, destroys: true },
}
