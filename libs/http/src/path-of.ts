type ParameterOf<Template extends string> = Template extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParameterOf<Rest>
  : never;

/** The path of a template with `{name}` for each parameter. */
export function pathOf<const Template extends string>(
  template: Template,
  parameters: Readonly<Record<ParameterOf<Template>, string | number>>,
): string {
  const given: Readonly<Record<string, string | number>> = parameters;
  return template.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(String(given[name])));
}
