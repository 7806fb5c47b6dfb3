/** Table of variables, of an Environment or the organization. */
import type { ReactNode } from 'react'
import type { Permission } from '../../../../platform/http/guard/permissions.ts'
import type { Answer } from '../../../api/client.ts'
import type { Pages } from '../../../data/pages.ts'
import type { Key } from '../../../data/queries.ts'
import { StateBadge } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/forms/button.tsx'
import { ConfirmAction } from '../../../ui/forms/confirm-action.tsx'
import { type Column, DataTable } from '../../../ui/table.tsx'
import { Time } from '../../../ui/time.tsx'
import '../settings.css'

interface VariableRow {
  id: string
  name: string
  description: string | null
  status: 'active' | 'disabled'
  version: number
  valueDigest: string
  valueLength: number
  updatedAt: string
}

interface VariableTableProps<Variable extends VariableRow> {
  label: string
  pages: Pages<Variable>
  /** Additional columns. */
  own: Column<Variable>[]
  /** Conditions under which deletion is refused. */
  whenDeleted: string
  /** The permissions that changes and deletions need. */
  needs: { change: Permission; remove: Permission }
  onChange: (variable: Variable) => void
  onDelete: (variableId: string) => Promise<Answer>
  /** Key of the list. */
  list: Key
  empty: ReactNode
}

export function VariableTable<Variable extends VariableRow>(props: VariableTableProps<Variable>) {
  const { label, pages, own, whenDeleted, needs, onChange, onDelete, list, empty } = props
  return (
    <DataTable
      label={label}
      pages={pages}
      keyOf={({ id }) => id}
      columns={[
        { title: 'Name', cell: (variable) => <NameAndDescription {...variable} /> },
        { title: 'Status', cell: ({ status }) => <StateBadge state={status} /> },
        { title: 'Version', align: 'end', cell: ({ version }) => version },
        ...own,
        { title: 'Updated', cell: ({ updatedAt }) => <Time at={updatedAt} /> },
        {
          title: 'Actions',
          align: 'end',
          cell: (variable) => (
            <span className="cell-actions">
              <Button
                needs={needs.change}
                small
                aria-label={`Edit ${variable.name}`}
                onClick={() => onChange(variable)}
              >
                Edit
              </Button>
              <ConfirmAction
                needs={needs.remove}
                small
                tone="quiet"
                question={`Delete ${variable.name}?`}
                consequence={`All of its versions are deleted. ${whenDeleted}`}
                confirm="Delete"
                aria-label={`Delete ${variable.name}`}
                act={() => onDelete(variable.id)}
                options={{ success: `${variable.name} deleted`, changes: [list] }}
              >
                Delete
              </ConfirmAction>
            </span>
          ),
        },
      ]}
      empty={empty}
    />
  )
}

const NameAndDescription = ({ name, description }: { name: string; description: string | null }) => (
  <span className="cell-main">
    <span>
      <code>{name}</code>
    </span>
    {description && <span className="faint">{description}</span>}
  </span>
)

/** Length and digest of a value; equal values have the same digest. */
export const ValueTrace = ({ valueDigest, valueLength }: { valueDigest: string; valueLength: number }) => (
  <span className="faint" title={`${valueDigest}: equal values have the same digest`}>
    {valueLength === 0 ? 'empty' : `${valueLength} characters`}
  </span>
)
