/** `troupe.runs`: the operations on runs, with handles for those who follow a run. */
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

/** Which Agent: by names, `project/environment/agent`, or an Agent of the platform by its id; or by ids. */
export type WhichAgent =
  | { agent: string; agentId?: undefined; environmentId?: undefined }
  | { agent?: undefined; agentId: string; environmentId?: string }

/** What `troupe.runs.start` takes. */
export type StartInput = Omit<NewAgentRun, 'agentId' | 'environmentId'> & WhichAgent

/** The operations on runs. `start` gives a handle; `open` gives one for a run that was started elsewhere. */
export interface Runs extends Omit<RunsResource, 'start' | 'stream'> {
  /**
   * Starts a run, and gives it as soon as it is stored.
   *
   *     const run = await troupe.runs.start({ agent: 'shop/production/clerk', query: 'Where is order A-17?' })
   */
  start(input: StartInput, options?: RequestOptions): Promise<Run>
  /** A handle for a run by its id. Asks the server nothing. */
  open(runId: string): Run
  /**
   * The lines of a run's log as they come, from the first one to the end of the run; a lost connection is made anew.
   * `listLogs` has those that there are.
   */
  followLogs(input: FollowLogsInput, options?: RequestOptions): AsyncGenerator<RunLogLine, void, undefined>
  /** The events of a run. Without `after`, first a snapshot of where it stands, then what comes. */
  stream(input: StreamInput, options?: RequestOptions): AsyncGenerator<RunEvent, void, undefined>
}

/** What `troupe.runs.stream` takes. */
export type StreamInput = StreamAgentRunInput

/** What `troupe.runs.followLogs` takes. */
export interface FollowLogsInput {
  agentRunId: string
  /** The sequence of the last line that is known: only later ones come. Default 0: all of them. */
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
      // what was found earlier may have been deleted, and made anew under the same name
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
