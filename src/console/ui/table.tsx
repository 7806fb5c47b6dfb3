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

/** Rows that can be chosen, to do something with several at once. */
export interface RowSelection<Item> {
  selected: ReadonlySet<string>
  select: (key: string, isSelected: boolean) => void
  selectAll: (isSelected: boolean) => void
  /** False for rows without any action. */
  canSelect: (item: Item) => boolean
  /** Accessible name of its box. */
  nameOf: (item: Item) => string
}

export interface TableProps<Item> {
  /** Accessible name of the table. */
  label: string
  items: readonly Item[]
  columns: Column<Item>[]
  keyOf: (item: Item) => string
  /** Address of a row; its first column becomes the link. */
  href?: ((item: Item) => string) | undefined
  selection?: RowSelection<Item> | undefined
}

export function Table<Item>({ label, items, columns, keyOf, href, selection }: TableProps<Item>) {
  const selectable = selection ? items.filter(selection.canSelect) : []
  return (
    <div className="table-frame">
      <table className="table" aria-label={label}>
        <thead>
          <tr>
            {selection && (
              <th scope="col" className="row-select">
                <label>
                  <input
                    type="checkbox"
                    aria-label={`Select all ${label}`}
                    disabled={selectable.length === 0}
                    checked={selectable.length > 0 && selectable.every((item) => selection.selected.has(keyOf(item)))}
                    onChange={({ target }) => selection.selectAll(target.checked)}
                  />
                </label>
              </th>
            )}
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
              {selection && (
                <td className="row-select">
                  {selection.canSelect(item) && (
                    <label>
                      <input
                        type="checkbox"
                        aria-label={selection.nameOf(item)}
                        checked={selection.selected.has(keyOf(item))}
                        onChange={({ target }) => selection.select(keyOf(item), target.checked)}
                      />
                    </label>
                  )}
                </td>
              )}
              {columns.map(({ title, cell, align }, place) => (
                <td
                  key={title}
                  data-title={title}
                  className={
                    [place === 0 && 'row-name', align && `align-${align}`].filter(Boolean).join(' ') || undefined
                  }
                >
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
  const { items, failure, refresh, refreshing, page, next } = pages
  if (failure && (items === undefined || failure.status === 403 || failure.status === 404)) {
    return <Failed failure={failure} retry={refresh} />
  }
  if (items === undefined) return <Loading label={`Loading ${table.label}`} />
  // a search goes on after a page on which it found nothing
  if (items.length === 0 && page === 1 && !next) return empty
  return (
    <div aria-busy={refreshing}>
      {failure && <Stale refresh={refresh} />}
      <Table {...table} items={items} />
      <Pager label={table.label} pages={pages} />
    </div>
  )
}
