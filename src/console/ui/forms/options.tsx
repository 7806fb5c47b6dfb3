/** The options of a select: named items, `[value, text]` pairs, or words that are both. */
type Option = string | { id: string; name: string } | readonly [value: string | number, text: string]

const pairOf = (option: Option): readonly [value: string | number, text: string] => {
  if (typeof option === 'string') return [option, option]
  return 'id' in option ? [option.id, option.name] : option
}

export const Options = ({ of }: { of: readonly Option[] | undefined }) =>
  of?.map(pairOf).map(([value, text]) => (
    <option key={value} value={value}>
      {text}
    </option>
  ))
