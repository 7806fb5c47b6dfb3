/** Enable, disable and delete buttons of a resource's page. */
import type { ReactNode } from 'react'
import type { Permission } from '../../../platform/http/guard/permissions.ts'
import type { Answer } from '../../api/client.ts'
import { type Action, useAction } from '../../data/action.ts'
import type { Key } from '../../data/queries.ts'
import { Button } from '../../ui/forms/button.tsx'
import { ConfirmButton } from '../../ui/forms/confirm.tsx'

type Status = 'active' | 'disabled'

interface Life {
  setStatus: Action<[status: Status], unknown>
  /** Shows no toast for a refused deletion: render its `Refusal`. */
  remove: Action<[], unknown>
}

interface LifeOptions {
  setStatus: (status: Status) => Promise<Answer>
  remove: () => Promise<Answer>
  /** Query keys of the resource. */
  changes: Key
  /** Query keys to refetch after deletion. */
  list: Key
  /** Address of the list. */
  listAt: string
}

export function useLife({ setStatus, remove, changes, list, listAt }: LifeOptions): Life {
  return {
    setStatus: useAction(setStatus, {
      success: (value) => ((value as { status: Status }).status === 'active' ? 'Enabled' : 'Disabled'),
      changes: [changes],
    }),
    remove: useAction(remove, { success: 'Deleted', changes: [list], quiet: true, opens: () => listAt }),
  }
}

interface LifeActionsProps {
  life: Life
  name: string
  /** No actions while it is being deleted. */
  status: Status | 'deleting'
  /** Consequences of disabling, and conditions of deleting. */
  whenDisabled: string
  whenDeleted: string
  /** The permissions that changes and the deletion need. */
  needs: { change: Permission; remove: Permission }
  /** Further actions, shown first. */
  children: ReactNode
}

export function LifeActions(props: LifeActionsProps) {
  const { name, status, whenDisabled, whenDeleted, needs, children } = props
  const { setStatus, remove } = props.life
  if (status === 'deleting') return null
  return (
    <>
      {children}
      {status === 'disabled' ? (
        <Button needs={needs.change} pending={setStatus.pending} onClick={() => setStatus.run('active')}>
          Enable
        </Button>
      ) : (
        <ConfirmButton
          needs={needs.change}
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
        needs={needs.remove}
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
