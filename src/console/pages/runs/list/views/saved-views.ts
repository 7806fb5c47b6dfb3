/** Named views of lists of runs, stored in this browser per user and organization. A view is a query string. */
import { useSyncExternalStore } from 'react'

export interface View {
  name: string
  /** `states=failed&within=24h` */
  address: string
}

const viewsMax = 30
const watchers = new Set<() => void>()
const none: readonly View[] = []
/** Parsed once per stored text, so that an unchanged text gives the same array. */
const read = new Map<string, { text: string | null; views: readonly View[] }>()

const isView = (value: unknown): value is View =>
  typeof value === 'object' &&
  value !== null &&
  typeof (value as View).name === 'string' &&
  typeof (value as View).address === 'string'

function parse(text: string | null): readonly View[] {
  if (text === null) return none
  try {
    const known: unknown = JSON.parse(text)
    return Array.isArray(known) ? known.filter(isView).slice(0, viewsMax) : none
  } catch {
    return none
  }
}

function viewsIn(key: string): readonly View[] {
  let text: string | null = null
  try {
    text = localStorage.getItem(key)
  } catch {
    return read.get(key)?.views ?? none
  }
  const known = read.get(key)
  if (known && known.text === text) return known.views
  const views = parse(text)
  read.set(key, { text, views })
  return views
}

function keep(key: string, views: readonly View[]): void {
  const text = JSON.stringify(views)
  read.set(key, { text, views })
  try {
    localStorage.setItem(key, text)
  } catch {
    // without storage they last as long as the tab
  }
  for (const changed of watchers) changed()
}

const watch = (changed: () => void) => {
  watchers.add(changed)
  // changed in another tab
  window.addEventListener('storage', changed)
  return () => {
    watchers.delete(changed)
    window.removeEventListener('storage', changed)
  }
}

export function useSavedViews(userId: string, organization: string) {
  const key = `troupe.views.${userId}.${organization}`
  const views = useSyncExternalStore(watch, () => viewsIn(key))
  return {
    views,
    isFull: views.length >= viewsMax,
    /** Saves a view; one with the same name is replaced. */
    save: (view: View) => keep(key, [...viewsIn(key).filter(({ name }) => name !== view.name), view]),
    remove: (name: string) =>
      keep(
        key,
        viewsIn(key).filter((view) => view.name !== name),
      ),
  }
}
