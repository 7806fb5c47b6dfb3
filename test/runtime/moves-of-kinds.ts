/** An actor of every kind, and several moves that it can make at once. */
import type { AnyEventObject } from 'xstate'
import { admission } from '../machines/run/runs.ts'
import { HandClock } from './statecharts/clock.ts'

// biome-ignore lint/suspicious/noExplicitAny: the functions handle rows of all tables
export type Loose = Record<string, any>

/** Nobody moves it. */
export const clock = new HandClock()
export const at = clock.now()

/** The place of all actors; the organization is filled in. */
export const place = { organization_id: '', project_id: 'prj_x', environment_id: 'env_x' }

/** A stored actor, and the events sent to it. */
export interface Case {
  kind: string
  table: string
  /** The initial context, and the relevant columns of the row. */
  input?: unknown
  row?: Loose
  context?: Loose
  /** Other rows that must exist. */
  beside?: [table: string, row: Loose][]
  events: AnyEventObject[]
  state: string
}

const lease = (attemptId: string, fencingToken: number): AnyEventObject[] => [
  { type: 'leaseRequested', attemptId, machine: 'm' },
  { type: 'leased', attemptId, fencingToken },
  { type: 'booted', fencingToken },
]
const webhook: [string, Loose] = ['webhooks', { id: 'whk_x', ...place, enabled: 1, event_types: '[]' }]

export const cases: Case[] = [
  {
    kind: 'run',
    table: 'runs',
    input: { maxRetries: 2, at },
    row: { project_id: null, environment_id: null, binding: '{}', created_by_type: 'apiKey' },
    events: [
      ...lease('att_1', 7),
      {
        type: 'completed',
        fencingToken: 7,
        reportDigest: 'r1',
        stopReason: 'end_turn',
        output: 'x',
        outputDigest: 'd',
      },
      { type: 'continue', ...admission, input: { query: 'More', contents: [] } },
      ...lease('att_2', 8),
      { type: 'failed', fencingToken: 8, reportDigest: 'r2', cause: { code: 'tool_error', message: 'It broke.' } },
    ],
    state: 'failed',
  },
  {
    // it has held its machine for ten minutes
    kind: 'run',
    table: 'runs',
    input: { maxRetries: 2, at },
    row: { project_id: null, environment_id: null, binding: '{}', created_by_type: 'apiKey', state: 'running' },
    context: {
      attempt: 1,
      lease: { attemptId: 'att_1', machine: 'm', fencingToken: 7 },
      activeSince: at - 600_000,
      startedAt: at - 600_000,
    },
    events: [
      { type: 'attemptLost', fencingToken: 7, cause: { code: 'lease_lost', message: 'It is gone.' }, retryAfterMs: 0 },
      ...lease('att_2', 8),
      {
        type: 'completed',
        fencingToken: 8,
        reportDigest: 'r1',
        stopReason: 'end_turn',
        output: 'x',
        outputDigest: 'd1',
      },
      { type: 'continue', ...admission, input: { query: 'More', contents: [] } },
      ...lease('att_3', 9),
      {
        type: 'completed',
        fencingToken: 9,
        reportDigest: 'r2',
        stopReason: 'end_turn',
        output: 'y',
        outputDigest: 'd2',
      },
    ],
    state: 'completed',
  },
  {
    kind: 'environment',
    table: 'environments',
    input: { headRevisionId: 'cfr_x' },
    row: { kind: 'preview' },
    events: [{ type: 'activate', expected: 'provisioning' }, { type: 'admitDeployment' }, { type: 'delete' }],
    state: 'deleting',
  },
  {
    kind: 'deployment',
    table: 'deployments',
    events: [
      { type: 'taken' },
      { type: 'validated' },
      { type: 'provisioned' },
      { type: 'rejected', failure: { code: 'x', message: 'It does not fit.' } },
    ],
    state: 'failed',
  },
  {
    kind: 'delivery',
    table: 'deliveries',
    input: { at },
    row: { webhook_id: 'whk_x', attempt_history: '[]' },
    beside: [webhook],
    events: [
      { type: 'claimed' },
      { type: 'refused', claim: 1, durationMs: 5, errorClass: 'http_status', status: 410, retryAfterMs: null },
      { type: 'retry' },
    ],
    state: 'pending',
  },
  {
    kind: 'delivery',
    table: 'deliveries',
    input: { at },
    row: { webhook_id: 'whk_x', attempt_history: '[]', state: 'dead-letter' },
    beside: [webhook],
    events: [{ type: 'retry' }, { type: 'claimed' }, { type: 'acknowledged', claim: 1, durationMs: 7, status: 200 }],
    state: 'delivered',
  },
  {
    kind: 'operation-invocation',
    table: 'operation_invocations',
    input: { repeatable: false, awaited: false, performer: 'p' },
    row: { input: '{}', workflow_run_id: null, agent_run_id: null },
    beside: [['operation_approvals', { id: 'apr_x', invocation_id: 'actor_x', ...place, status: 'pending' }]],
    events: [
      { type: 'approve', performer: 'p' },
      { type: 'performed', performance: 1, output: { ok: true } },
    ],
    state: 'succeeded',
  },
  {
    kind: 'worker-call',
    table: 'worker_calls',
    input: { repeatable: true, at, timeoutMs: 60_000 },
    row: { queue: 'q', operation: 'a.b', output: null },
    events: [
      { type: 'leased', lease: 'a', worker: 'w1' },
      { type: 'heartbeat', lease: 'a' },
      { type: 'completed', lease: 'a', output: { ok: true } },
    ],
    state: 'succeeded',
  },
  {
    kind: 'apply',
    table: 'applies',
    input: { activate: true, serving: null },
    row: {
      request: '{}',
      plan: '{}',
      release_id: null,
      deployment_id: null,
      activation_id: null,
      created_by_type: 'user',
      created_by_id: 'usr_x',
    },
    events: [
      { type: 'taken' },
      { type: 'written' },
      { type: 'released', releaseId: 'rel_x' },
      { type: 'configured', configurationRevisionId: 'cfr_x' },
      { type: 'deployed', deploymentId: 'dep_x' },
      { type: 'activated', activationId: 'act_x' },
    ],
    state: 'applied',
  },
  {
    kind: 'agent-job',
    table: 'agent_jobs',
    row: { cron: '0 * * * *', timezone: 'UTC', overlap: 'skip', agent_id: 'agt_x' },
    beside: [['agents', { id: 'agt_x', ...place, status: 'active' }]],
    events: [
      { type: 'change', seen: 0, enabled: true, nextRunAt: at + 60_000 },
      { type: 'change', seen: 1, enabled: false, nextRunAt: null },
      { type: 'change', seen: 2, enabled: true, nextRunAt: at + 120_000 },
    ],
    state: 'scheduled',
  },
  {
    kind: 'workflow-run',
    table: 'workflow_runs',
    input: {
      steps: ['a', 'b'].map((id, index) => ({
        ...{
          id,
          operation: 'shop.echo',
          after: index === 0 ? [] : [0],
          maxAttempts: 1,
          backoffMs: 0,
          continues: false,
        },
      })),
      bytes: 0,
      hasOutput: false,
      at,
    },
    row: { params: '{}' },
    events: [
      { type: 'reported', stepId: 'a', attempt: 1, invocation: 'succeeded', bytes: 2, cause: null },
      { type: 'reported', stepId: 'b', attempt: 1, invocation: 'pending_approval', bytes: 0, cause: null },
      { type: 'reported', stepId: 'b', attempt: 1, invocation: 'succeeded', bytes: 2, cause: null },
    ],
    state: 'completed',
  },
  {
    kind: 'deletion',
    table: 'deletions',
    input: { target: 'project' },
    events: [
      { type: 'runsTold', round: 1 },
      { type: 'runsEnded', round: 2 },
      { type: 'batchRemoved', round: 3 },
      { type: 'removed', round: 4 },
    ],
    state: 'settling',
  },
  {
    kind: 'integration',
    table: 'integrations',
    input: { at, versionId: 'inv_x', clientId: 'c' },
    events: [
      { type: 'verificationFailed', number: 1, code: 'x', message: 'No.' },
      { type: 'verified', number: 1 },
      { type: 'verificationFailed', number: 1, code: 'y', message: 'No more.' },
    ],
    state: 'misconfigured',
  },
  {
    kind: 'entity',
    table: 'entities',
    row: { type: 'order', data: '{}', definition_revision_id: 'dfr_x' },
    beside: [
      [
        'entity_charts',
        {
          environment_id: 'env_x',
          definition_revision_id: 'dfr_x',
          states: JSON.stringify({
            initial: 'open',
            states: { open: { on: { pay: 'paid' } }, paid: { on: { send: 'sent' } }, sent: { final: true } },
          }),
        },
      ],
    ],
    events: [{ type: 'pay' }, { type: 'send' }],
    state: 'sent',
  },
  {
    kind: 'subscription',
    table: 'subscriptions',
    input: { provider: 'embedded' },
    events: [
      { type: 'checkout', provider: 'embedded' },
      { type: 'pay', planKey: 'pro', interval: 'month' },
      { type: 'cancelAtPeriodEnd' },
      { type: 'resume' },
    ],
    state: 'active',
  },
  {
    kind: 'alert',
    table: 'alert_rules',
    input: { holdMs: 0, coolDownMs: 0 },
    row: {
      project_id: null,
      environment_id: null,
      name: 'Failing',
      condition: '{"type":"failing","count":1,"withinMinutes":5}',
      created_by_type: 'user',
      created_by_id: 'usr_x',
    },
    events: [
      { type: 'breached', value: 3, seen: 0 },
      { type: 'cleared', value: 0, seen: 2 },
    ],
    state: 'ok',
  },
  {
    kind: 'bulk-action',
    table: 'bulk_actions',
    input: { matched: 40 },
    row: {
      project_id: null,
      environment_id: null,
      action: 'cancel',
      filter: '{}',
      runs_max: 40,
      dry_run: 0,
      request_id: 'req_x',
      created_by_type: 'user',
      created_by_id: 'usr_x',
      user_id: 'usr_x',
    },
    events: [
      { type: 'advanced', piece: 0, done: 20, failed: 0, failures: [], isThrough: false },
      { type: 'cancel' },
      { type: 'advanced', piece: 1, done: 5, failed: 0, failures: [], isThrough: false },
    ],
    state: 'canceled',
  },
  {
    kind: 'webhook-recovery',
    table: 'webhook_recoveries',
    input: { states: ['dead-letter', 'missed'], afterSequence: 0 },
    row: { webhook_id: 'whk_x' },
    beside: [webhook],
    events: [
      { type: 'advanced', piece: 0, retried: 1, made: 0, afterDelivery: '', afterSequence: 0, isThrough: true },
      { type: 'advanced', piece: 1, retried: 0, made: 2, afterDelivery: '', afterSequence: 5, isThrough: true },
    ],
    state: 'completed',
  },
]
