/** Tables of API lists. On phones each row becomes a card. */
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import type { Pages } from '../data/pages.ts'
import { Pager } from './pager.tsx'
import { Failed, Loading, Stale } from './states.tsx'

export interface Column<Item> {
  title: string
  cell: (item: Item) => ReactNode
  /** Numbers are right-aligned. */
  align?: 'end'
}

export interface TableProps<Item> {
  /** Accessible name of the table. */
  label: string
  items: readonly Item[]
  columns: Column<Item>[]
  keyOf: (item: Item) => string
  /** Address of a row; its first column becomes the link. */
  href?: ((item: Item) => string) | undefined
}

export function Table<Item>({ label, items, columns, keyOf, href }: TableProps<Item>) {
  return (
    <div className="table-frame">
      <table className="table" aria-label={label}>
        <thead>
          <tr>
            {columns.map(({ title, align }) => (
              <th key={title} scope="col" className={align && `align-${align}`}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {items.map((item) => (
            <tr key={keyOf(item)} className={href && 'row-link'}>
              {columns.map(({ title, cell, align }, place) => (
                <td key={title} data-title={title} className={align && `align-${align}`}>
                  {place === 0 && href ? <Link href={href(item)}>{cell(item)}</Link> : cell(item)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

export interface DataTableProps<Item> extends Omit<TableProps<Item>, 'items'> {
  pages: Pages<Item>
  /** Shown for an empty list. */
  empty: ReactNode
}

/** A paginated API list in all its states: loading, empty, failed, forbidden. */
export function DataTable<Item>({ pages, empty, ...table }: DataTableProps<Item>) {
  const { items, failure, refresh, refreshing, page } = pages
  if (failure && (items === undefined || failure.status === 403 || failure.status === 404)) {
    return <Failed failure={failure} retry={refresh} />
  }
  if (items === undefined) return <Loading label={`Loading ${table.label}`} />
  if (items.length === 0 && page === 1) return empty
  return (
    <div aria-busy={refreshing}>
      {failure && <Stale refresh={refresh} />}
      <Table {...table} items={items} />
      <Pager label={table.label} pages={pages} />
    </div>
  )
}
