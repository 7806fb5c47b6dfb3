/** Who sends an event: somebody through the API, a runner or provider that reports, or a deadline. */

export type Source = 'command' | 'report' | 'deadline' | 'server'

export interface Sender {
  source: Source
  text: string
}

const command = (text: string): Sender => ({ source: 'command', text: `Command: ${text}` })
const report = (text: string): Sender => ({ source: 'report', text: `Report: ${text}` })
const server = (text: string): Sender => ({ source: 'server', text: `Server: ${text}` })

const senders: Record<string, Record<string, Sender>> = {
  run: {
    leaseRequested: server('a free machine is there, and the run is next in the queue.'),
    leased: report('the runner took the run over.'),
    booted: report('the runner began to work.'),
    progressed: report('the runner has new steps or output.'),
    completed: report('the Agent is done.'),
    failed: report('the Agent could not go on.'),
    reported: report('the last words of a runner that was told to stop.'),
    attemptLost: report('the runner is gone, or hands its attempt back.'),
    toolResultNeeded: report('the Agent waits for the result of a tool.'),
    delegateResultNeeded: report('the Agent waits for another run.'),
    toolResult: server('a decision on a call that needed an approval.'),
    delegateResult: server('a run that this one waits for has ended.'),
    continue: command('POST …/agent-runs/{id}/continue, with input or results.'),
    cancel: command('POST …/agent-runs/{id}/cancel.'),
  },
  environment: {
    activate: command('PATCH …/environments/{id} moves its lifecycle.'),
    takeConfiguration: command('POST …/configuration-revisions.'),
    admitDeployment: command('POST …/deployments.'),
    activateDeployment: command('POST …/deployments/{id}/activate.'),
    delete: server('the Project is being removed.'),
  },
  deployment: {
    cancel: command('POST …/deployments/{id}/cancel.'),
    activate: command('POST …/deployments/{id}/activate.'),
    taken: server('its turn has come.'),
    validated: server('everything that it pins is there and fits.'),
    provisioned: server('every secret that it needs can be read.'),
    materialized: server('its bundle is stored.'),
    rejected: server('the work of the state found what is wrong.'),
  },
  delivery: {
    claimed: server('a free place to send from took it.'),
    acknowledged: report('the endpoint answered 2xx.'),
    refused: report('the endpoint answered something else, or nothing.'),
    due: server('the wait since the last attempt is over.'),
    retry: command('POST …/deliveries/{id}/retry.'),
  },
  'operation-invocation': {
    approve: command('somebody with the permission approves it.'),
    reject: command('somebody with the permission rejects it.'),
    withdraw: server('whoever asked for it does not want it any more.'),
    performed: report('the operation gave a result.'),
    failed: report('the operation failed.'),
    lost: report('nobody knows whether it took effect.'),
    performerLost: server('the process that performed it is gone.'),
  },
  'agent-job': {
    change: command('PATCH …/jobs/{id}.'),
    tick: { source: 'deadline', text: 'Deadline: the schedule says that it is time.' },
    fired: server('the run of a tick was started, or could not be.'),
  },
  'workflow-run': {
    reported: report('a step has something to tell.'),
    refused: report('a step could not be begun.'),
    rendered: server('the output is there.'),
    renderingFailed: server('the output could not be made.'),
    cancel: command('POST …/workflow-runs/{id}/cancel.'),
    resolveUnknown: command('somebody says how a step has ended.'),
    resume: command('POST …/workflow-runs/{id}/resume.'),
  },
  integration: {
    verified: report('the provider knows the client.'),
    verificationFailed: report('the provider refused the client.'),
    rotated: command('another client takes the place of this one.'),
  },
  entity: {
    'entity/update': command('an operation replaces the data.'),
    'entity/delete': command('an operation ends the entity.'),
  },
  subscription: {
    reported: report('the payment provider says that something happened.'),
    fetched: report('how things stand at the payment provider.'),
  },
}

const commands = /^[a-z]+(?:[A-Z/]|$)/
const reports = /(?:ed|Over|Removed|Found|Told|Failed|Lost|Needed|Result)$/

/** By name where it is known, else by its form: what is asked for is in the imperative, what happened in the past. */
export function senderOf(kind: string, event: string, isDeadline: boolean): Sender {
  if (isDeadline) return { source: 'deadline', text: 'Deadline: comes by itself when the time is up.' }
  // events of entities have the names that somebody gave them: not even `constructor` is known
  const known = senders[kind] ?? {}
  if (Object.hasOwn(known, event)) return known[event] as Sender
  if (kind === 'entity') return command(`an operation with the event ${event}.`)
  if (reports.test(event)) return report('something happened.')
  return commands.test(event) ? command('through the API.') : server('by itself.')
}
