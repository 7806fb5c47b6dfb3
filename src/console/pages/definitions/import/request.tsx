/** The shared part of the import forms. */
import type { Action } from '../../../data/action.ts'
import { TextField } from '../../../ui/forms/form.tsx'

/** The source of an import. */
export type ImportRequest = { connection: string } & (
  | { openapi: Record<string, unknown>; operations?: string[] }
  | { mcp: { environmentId: string; connectionId: string } }
)

export interface AskProps {
  action: Pick<Action<[ImportRequest], unknown>, 'run' | 'pending' | 'failure' | 'issues'>
}

export const ConnectionField = () => (
  <TextField
    name="connection"
    label="Binding key"
    hint="Agents declare this key for the Connection that the operations use."
    pattern="[a-zA-Z0-9_.\-]{1,64}"
    required
  />
)
