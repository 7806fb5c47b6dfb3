/** What is done with something that can be switched off, switched on again, and deleted: the buttons of its page. */
import type { ReactNode } from 'react'
import { useLocation } from 'wouter'
import type { Answer } from '../../api/client.ts'
import { type Action, useAction } from '../../data/action.ts'
import type { Key } from '../../data/queries.ts'
import { Button } from '../../ui/forms/button.tsx'
import { ConfirmButton } from '../../ui/forms/confirm.tsx'

type Status = 'active' | 'disabled'

export interface Life {
  setStatus: Action<[status: Status], unknown>
  /** It says nothing by itself: show its `Refusal`. */
  remove: Action<[], unknown>
}

interface LifeOptions {
  setStatus: (status: Status) => Promise<Answer>
  remove: () => Promise<Answer>
  /** What it changes: everything that is known of it. */
  changes: Key
  /** What is read again when it is gone: the list, and not it. */
  list: Key
  /** Where the list is. */
  listAt: string
}

export function useLife({ setStatus, remove, changes, list, listAt }: LifeOptions): Life {
  const [, navigate] = useLocation()
  return {
    setStatus: useAction(setStatus, {
      success: (value) =>
        (value as { status: Status }).status === 'active' ? 'It can be used again' : 'Nothing can use it now',
      changes: [changes],
    }),
    remove: useAction(remove, { success: 'Deleted', changes: [list], quiet: true, done: () => navigate(listAt) }),
  }
}

interface LifeActionsProps {
  life: Life
  name: string
  /** What is being deleted is past everything. */
  status: Status | 'deleting'
  /** What becomes of those who use it when it is disabled, and what keeps it when it is deleted. */
  whenDisabled: string
  whenDeleted: string
  /** What else can be done, before. */
  children: ReactNode
}

export function LifeActions(props: LifeActionsProps) {
  const { name, status, whenDisabled, whenDeleted, children } = props
  const { setStatus, remove } = props.life
  if (status === 'deleting') return null
  return (
    <>
      {children}
      {status === 'disabled' ? (
        <Button pending={setStatus.pending} onClick={() => setStatus.run('active')}>
          Enable
        </Button>
      ) : (
        <ConfirmButton
          tone="plain"
          question={`Disable ${name}?`}
          consequence={whenDisabled}
          confirm="Disable"
          pending={setStatus.pending}
          onConfirm={() => setStatus.run('disabled')}
        >
          Disable
        </ConfirmButton>
      )}
      <ConfirmButton
        question={`Delete ${name}?`}
        consequence={whenDeleted}
        pending={remove.pending}
        onConfirm={() => remove.run()}
      >
        Delete
      </ConfirmButton>
    </>
  )
}
