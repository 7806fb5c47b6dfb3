/** A button that asks for confirmation, and then acts. */
import type { Answer, BodyOf } from '../../api/client.ts'
import { type ActionOptions, useAction } from '../../data/action.ts'
import type { Content } from '../../data/resource.ts'
import { ConfirmButton, type ConfirmButtonProps } from './confirm.tsx'

interface ConfirmActionProps<Answered extends Answer> extends Omit<ConfirmButtonProps, 'onConfirm' | 'pending'> {
  act: () => Promise<Answered>
  /** What follows it, as for `useAction`. */
  options: ActionOptions<Content<BodyOf<Answered>>>
}

/** Each has an action of its own: in a table, no row waits for another, or is left out because of it. */
export function ConfirmAction<Answered extends Answer>({ act, options, ...button }: ConfirmActionProps<Answered>) {
  const { run, pending } = useAction(act, options)
  return <ConfirmButton {...button} pending={pending} onConfirm={() => run()} />
}
