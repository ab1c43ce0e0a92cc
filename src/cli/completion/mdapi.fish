# Completion of mdapi in fish
function __mdapi_words
    @LOOK_UP@ (commandline -opc)[2..-1]
end
complete -c mdapi -f -a '(__mdapi_words | string match -v FILE)'
complete -c mdapi -n '__mdapi_words | string match -q FILE' -F
