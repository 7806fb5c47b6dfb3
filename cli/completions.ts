/** What shells complete besides the names of commands, options and their choices: `troupe complete`. */
import tab from '@bomb.sh/tab/commander'
import type { Command } from 'commander'
import type { AgentRun, GetActorInput } from '../sdk/src/index.ts'
import { readProfiles } from './settings/profiles.ts'
import { templateNames } from './templates/manifest-of.ts'
import { pathsLike } from './terminal/path-names.ts'

/** Every state and every kind, which the compiler checks. */
const states: Record<AgentRun['state'], true> = {
  queued: true,
  acquiring: true,
  starting: true,
  running: true,
  awaitingToolResult: true,
  awaitingDelegateResult: true,
  canceling: true,
  completed: true,
  failed: true,
  canceled: true,
  expired: true,
}
const kinds: Record<GetActorInput['kind'], true> = {
  run: true,
  'bulk-action': true,
  environment: true,
  deployment: true,
  apply: true,
  delivery: true,
  'webhook-recovery': true,
  'operation-invocation': true,
  'worker-call': true,
  'agent-job': true,
  'workflow-run': true,
  alert: true,
  subscription: true,
  deletion: true,
  entity: true,
  integration: true,
}

/** None if the file cannot be read: commands report that, not the shell. */
function profileNames(): string[] {
  try {
    return Object.keys(readProfiles().profiles)
  } catch {
    return []
  }
}

/** The last word of a request for completions is the one that is being typed. */
const paths = () => pathsLike(process.argv.at(-1) ?? '')

/** By the name of the option. */
const ofOptions: Record<string, () => readonly string[]> = {
  file: paths,
  profile: profileNames,
  state: () => Object.keys(states),
}
/** By the command and the name of its argument. */
const ofArguments: Record<string, () => readonly string[]> = {
  'admin backup file': paths,
  'chart kind': () => Object.keys(kinds),
  'import openapi document': paths,
  'init template': () => templateNames,
  'logout profile': profileNames,
  'profiles use profile': profileNames,
  'worker file': paths,
}

/** Adds `complete` to the program, whose commands are there already. */
export function addCompletions(program: Command): void {
  const complete =
    (values: () => readonly string[]) =>
    (offer: (value: string, description: string) => void): void => {
      for (const value of values()) offer(value, '')
    }
  for (const [name, { options, arguments: given }] of tab(program).commands) {
    for (const [option, completed] of options) {
      const values = ofOptions[option]
      if (values) completed.handler = complete(values)
    }
    for (const [argument, completed] of given) {
      const values = ofArguments[`${name} ${argument}`]
      if (values) completed.handler = complete(values)
    }
  }
}
