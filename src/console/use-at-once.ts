import { useState } from 'react'

/** A value stored elsewhere, such as in the address: a new value is shown at once, then whatever the store holds. */
export function useAtOnce<Value>(given: Value): [Value, (value: Value) => void] {
  const [state, setState] = useState({ given, shown: given })
  if (state.given === given) return [state.shown, (shown) => setState({ given, shown })]
  setState({ given, shown: given })
  return [given, (shown) => setState({ given, shown })]
}
