// placeholder until the page's data are known
const ratios = () => () => undefined;
