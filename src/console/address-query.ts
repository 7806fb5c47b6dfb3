/** Filters and the open item of a page, kept in the query string so that the address can be bookmarked and shared. */
import { useSearchParams } from 'wouter'

const valueMax = 500

export function useAddressQuery<Name extends string>(...names: Name[]) {
  const [params, setParams] = useSearchParams()
  const values = Object.fromEntries(names.map((name) => [name, (params.get(name) ?? '').slice(0, valueMax)])) as Record<
    Name,
    string
  >
  return {
    /** An empty string for an absent parameter. */
    values,
    /** Whether any of these parameters is set. */
    isNarrowed: (...narrowing: Name[]) => narrowing.some((name) => values[name] !== ''),
    /** An empty value removes the parameter. Replaces the history entry, so that Back leaves the page. */
    change(changes: Partial<Record<Name, string>>): void {
      setParams(
        (now) => {
          const next = new URLSearchParams(now)
          for (const [name, value] of Object.entries(changes) as [Name, string][]) {
            if (value) next.set(name, value)
            else next.delete(name)
          }
          return next
        },
        // keep the state of the history entry: the position in a list
        { replace: true, state: history.state },
      )
    },
  }
}

/** The word if it is one of these, else undefined: query strings are untrusted. */
export const oneOfThese = <Word extends string>(words: readonly Word[], text: string): Word | undefined =>
  words.find((word) => word === text)
