/** The messages between the server and a worker: one request at a time, one answer each. */
import type { Issue } from '../http/answers/errors.ts'
import type { CheckResult } from './check-result.ts'
import type { JsonSchema } from './structure.ts'

export type Request =
  /** Compiles the schema and stores it under its key. */
  | { ask: 'compile'; key: string; schema: JsonSchema }
  | { ask: 'check'; key: string; value: unknown }
  /** Returns whether an author may publish the schema. */
  | { ask: 'tryCompile'; schema: JsonSchema; path: string }

export type Answer =
  | { said: 'compiled' }
  | { said: 'result'; result: CheckResult }
  | { said: 'issues'; issues: Issue[] }
  /** No schema is stored under this key. */
  | { said: 'unknown' }
  /** The schema does not compile. */
  | { said: 'failed'; reason: string }
  /** The work ran out of stack. */
  | { said: 'exhausted' }

/** Says that the worker has started. */
export const ready = 'ready'
