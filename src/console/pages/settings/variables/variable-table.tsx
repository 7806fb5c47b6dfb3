/** Variables as a table, those of an Environment and those of the organization, with what one can do to each. */
import type { ReactNode } from 'react'
import type { Pages } from '../../../data/pages.ts'
import { StateBadge } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/forms/button.tsx'
import { ConfirmButton } from '../../../ui/forms/confirm.tsx'
import { type Column, DataTable } from '../../../ui/table.tsx'
import { Time } from '../../../ui/time.tsx'
import '../settings.css'

export interface VariableRow {
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
  /** What is told of its value, and whom it is for. */
  own: Column<Variable>[]
  /** What keeps it when it is deleted. */
  whenDeleted: string
  onChange: (variable: Variable) => void
  onDelete: (variableId: string) => unknown
  empty: ReactNode
}

export function VariableTable<Variable extends VariableRow>(props: VariableTableProps<Variable>) {
  const { label, pages, own, whenDeleted, onChange, onDelete, empty } = props
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
        { title: 'Changed', cell: ({ updatedAt }) => <Time at={updatedAt} /> },
        {
          title: 'Actions',
          align: 'end',
          cell: (variable) => (
            <span className="cell-actions">
              <Button small aria-label={`Change ${variable.name}`} onClick={() => onChange(variable)}>
                Change
              </Button>
              <ConfirmButton
                small
                tone="quiet"
                question={`Delete ${variable.name}?`}
                consequence={`With all of its versions. ${whenDeleted}`}
                confirm="Delete"
                aria-label={`Delete ${variable.name}`}
                onConfirm={() => onDelete(variable.id)}
              >
                Delete
              </ConfirmButton>
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

/** What is told of a value instead of it: equal values of the organization have the same digest. */
export const ValueTrace = ({ valueDigest, valueLength }: { valueDigest: string; valueLength: number }) => (
  <span className="faint" title={`${valueDigest}: the same for the same value`}>
    {valueLength === 0 ? 'empty' : `${valueLength} characters`}
  </span>
)
