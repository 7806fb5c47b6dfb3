/**
 * Everything that a person can do by the API can be done in the console; operations for programs are listed, with a
 * reason.
 */
import { expect, test } from 'bun:test'
import { operations } from '../../api/isolation/document.ts'
import { callsOfConsole, isCallOf } from './called.ts'

const runner = 'the protocol of runners'
const worker = 'the protocol of workers'
const commandLine = 'a command line asks for a key; the console answers it'
const monitoring = 'monitoring of operators'
const inItsList = 'its list has it whole'
/** Operations that the console leaves to programs. */
const left: Record<string, string> = {
  getHealth: monitoring,
  getReadiness: monitoring,
  getMetrics: monitoring,
  getApiDocument: 'for programs that generate clients; people read it at /docs',
  callAttemptOperation: runner,
  streamAttemptModel: runner,
  leaseAttempt: runner,
  bootAttempt: runner,
  beatAttempt: runner,
  reportAttemptEvents: runner,
  completeAttempt: runner,
  startAgentStep: runner,
  endAgentStep: runner,
  writeCheckpoint: runner,
  leaseWorkerCalls: worker,
  heartbeatWorkerCall: worker,
  completeWorkerCall: worker,
  completeWorkerCalls: worker,
  requestDeviceAuthorization: commandLine,
  exchangeDeviceCode: commandLine,
  receiveStripeEvent: 'the vendor calls it',
  completeOAuth: 'the browser comes back to it from the consent page',
  listOrganizations: 'the session names them',
  getTemplate: inItsList,
  getOrganizationVariable: inItsList,
  getVariable: inItsList,
  getActivation: inItsList,
  getProviderSetting: inItsList,
  getWebhookRecovery: inItsList,
  getConnectionPreset: inItsList,
  getIntegration: inItsList,
  listMcpTools: 'the import of operations lists them',
  exportAuditEvents: 'a link of the audit log leads to it, and the browser saves what comes',
}

/** Every kind of actor has the same operations. */
const isOfActor = /^\/api\/v1\/actors\/[^{/]+\//
/** Operations for clients of other protocols, which are programs. */
const isOfProtocol = /^\/(openai|ai-sdk|mcp|ag-ui|a2a)(\/|$)|^\/\.well-known/

const documented = (await operations()).filter(({ path }) => !isOfProtocol.test(path))
const calls = await callsOfConsole()
const called = documented.filter((operation) =>
  calls.some((call) =>
    isCallOf(call, {
      method: operation.method,
      path: isOfActor.test(operation.path) ? operation.path.replace(/(?<=\/actors\/)[^/]+/, '{kind}') : operation.path,
    }),
  ),
)

test('the console calls every operation, except those left to programs', () => {
  const known = new Set(called.map(({ operationId }) => operationId))
  const missing = documented.filter(({ operationId }) => !known.has(operationId) && !(operationId in left))
  expect(
    missing.map(({ operationId }) => operationId),
    'The console calls these operations nowhere: call them from src/console, or give the reason in `left`.',
  ).toEqual([])
})

test('every reason is for an operation that the console does not call', () => {
  const known = new Set(called.map(({ operationId }) => operationId))
  const ids = new Set(documented.map(({ operationId }) => operationId))
  expect(Object.keys(left).filter((id) => !ids.has(id) || known.has(id))).toEqual([])
})

test('a missing call is noticed', () => {
  const operation = { method: 'delete', path: '/api/v1/projects/{projectId}' }
  expect(calls.some((call) => isCallOf(call, operation))).toBe(true)
  expect(calls.some((call) => isCallOf(call, { ...operation, method: 'put' }))).toBe(false)
  expect(calls.some((call) => isCallOf(call, { ...operation, path: '/api/v1/projects/{projectId}/nothing' }))).toBe(
    false,
  )
})
