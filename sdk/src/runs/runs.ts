/** `troupe.runs`: the operations on runs, with handles for following a run. */
import { NotFoundError } from '../client/errors.ts'
import type { RequestOptions } from '../client/options.ts'
import { type Call, resourceOf } from '../client/resource.ts'
import type { StreamEvent } from '../client/stream-event.ts'
import { operations } from '../generated/operations.ts'
import type { Resources, RunsResource, StreamAgentRunInput } from '../generated/resources.ts'
import type { NewAgentRun, RunLogLine } from '../generated/schemas.ts'
import { AgentPaths } from './agent-paths.ts'
import { type RunEvent, runEvents } from './events.ts'
import { Run } from './run.ts'

/** The Agent: by names, `project/environment/agent`, or an Agent of the platform by its id; or by ids. */
export type WhichAgent =
  | { agent: string; agentId?: undefined; environmentId?: undefined }
  | { agent?: undefined; agentId: string; environmentId?: string }

/** The input of `troupe.runs.start`. */
export type StartInput = Omit<NewAgentRun, 'agentId' | 'environmentId'> & WhichAgent

/** The operations on runs. `start` returns a handle; `open` returns a handle for an existing run. */
export interface Runs extends Omit<RunsResource, 'start' | 'stream'> {
  /**
   * Starts a run; resolves as soon as the run is stored.
   *
   *     const run = await troupe.runs.start({ agent: 'shop/production/clerk', query: 'Where is order A-17?' })
   */
  start(input: StartInput, options?: RequestOptions): Promise<Run>
  /** A handle for a run by its id. Sends no request. */
  open(runId: string): Run
  /**
   * The lines of a run's log, live, from the first one to the end of the run; reconnects after a lost connection.
   * `listLogs` returns the existing lines.
   */
  followLogs(input: FollowLogsInput, options?: RequestOptions): AsyncGenerator<RunLogLine, void, undefined>
  /** The events of a run. Without `after`, a snapshot of its current state, then further events. */
  stream(input: StreamInput, options?: RequestOptions): AsyncGenerator<RunEvent, void, undefined>
}

/** The input of `troupe.runs.stream`. */
type StreamInput = StreamAgentRunInput

/** The input of `troupe.runs.followLogs`. */
export interface FollowLogsInput {
  agentRunId: string
  /** The sequence number of the last known line: only later lines follow. Default 0: all lines. */
  after?: number
}

interface LogStream {
  followLogs(
    input: FollowLogsInput & { follow: true },
    options?: RequestOptions,
  ): AsyncGenerator<StreamEvent, void, undefined>
}

export function runsOf(call: Call, resources: Pick<Resources, 'projects' | 'environments' | 'agents'>): Runs {
  const plain = resourceOf<RunsResource>(call, operations.runs)
  const { listLogs } = operations.runs
  const log = resourceOf<LogStream>(call, { followLogs: { ...listLogs, answer: 'events' } })
  const paths = new AgentPaths(resources)

  async function start({ agent, ...input }: StartInput, options?: RequestOptions): Promise<Run> {
    const { id } =
      agent === undefined ? await plain.start(input as NewAgentRun, options) : await startAt(agent, input, options)
    return new Run(id, plain)
  }

  async function startAt(agent: string, input: Omit<StartInput, 'agent'>, options?: RequestOptions) {
    const known = paths.isKnown(agent)
    try {
      return await plain.start({ ...input, ...(await paths.resolve(agent, options)) }, options)
    } catch (error) {
      // a resource found earlier may have been deleted and created again under the same name
      if (!known || !(error instanceof NotFoundError)) throw error
      paths.forget(agent)
      return plain.start({ ...input, ...(await paths.resolve(agent, options)) }, options)
    }
  }

  async function* followLogs(input: FollowLogsInput, options?: RequestOptions) {
    for await (const { type, data } of log.followLogs({ ...input, follow: true }, options)) {
      if (type === 'line') yield data as RunLogLine
    }
  }

  return {
    ...plain,
    start,
    followLogs,
    open: (runId) => new Run(runId, plain),
    stream: (input, options) => runEvents(plain, input, options),
  }
}
