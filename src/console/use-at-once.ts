import { useState } from 'react'

/** A value that is kept elsewhere, as in the address: what is set is shown at once, and what comes from there after that. */
export function useAtOnce<Value>(given: Value): [Value, (value: Value) => void] {
  const [state, setState] = useState({ given, shown: given })
  if (state.given === given) return [state.shown, (shown) => setState({ given, shown })]
  setState({ given, shown: given })
  return [given, (shown) => setState({ given, shown })]
}
