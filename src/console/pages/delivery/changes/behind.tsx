/** The differences of an Environment from the previous one, in a few lines. */
import { Link } from 'wouter'
import { at, type Place } from '../../../places.ts'
import { counted } from '../../../ui/counted.ts'
import { useParts } from '../parts.ts'
import type { Served } from '../pinned.ts'
import { differencesOf, type Row } from './differences.ts'

/** The most differences that are named; the others are counted. */
const namedMax = 3

/** Excluded: each Environment has its own Connections, so they do not differ by delivery. */
const isDelivered = ({ title }: { title: string }) => title !== 'Connections'

function differencesBetween(before: Served, served: Served, nameOf: (id: string) => string): Row[] {
  const connections = new Map()
  return differencesOf(
    [
      { served: before, connections },
      { served, connections },
    ],
    nameOf,
  )
    .filter(isDelivered)
    .flatMap(({ rows }) => rows)
    .filter(({ differs }) => differs)
}

interface BehindProps {
  place: Place
  /** Name of the previous Environment. */
  name: string
  served: Served
  before: Served
}

export function Behind({ place, name, served, before }: BehindProps) {
  const { nameOf } = useParts(served.release.projectId).value ?? {}
  const rows = differencesBetween(before, served, nameOf ?? ((id) => id))
  if (rows.length === 0) return <p className="behind faint">Same as in {name}.</p>
  const more = rows.length - namedMax
  return (
    <section className="behind" aria-label={`Differences from ${name}`}>
      <h4>
        <Link href={`${at(place)}?tab=differences`}>
          {counted(rows.length, 'difference')} from {name}
        </Link>
      </h4>
      <ul>
        {rows.slice(0, namedMax).map(({ name: what, cells: [there, here] }) => (
          <li key={what}>
            <span className="behind-name">{what}</span>
            <span className="behind-change">
              <span className="visually-hidden">{name}: </span>
              {there ?? 'none'}
              <span aria-hidden="true"> → </span>
              <span className="visually-hidden">, here: </span>
              {here ?? 'none'}
            </span>
          </li>
        ))}
        {more > 0 && <li className="faint">and {more} more</li>}
      </ul>
    </section>
  )
}
